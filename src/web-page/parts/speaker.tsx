import { useEffect, useState } from 'preact/hooks';

const SPEAK_MS = 5000;

/** Tells those who listen what the run needs, at most every five seconds. */
export function Speaker({ text }: { readonly text: string }) {
  const [said, setSaid] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSaid(text), said === '' ? 0 : SPEAK_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <p class="hidden" aria-live="polite">
      {said}
    </p>
  );
}
