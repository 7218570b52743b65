import { useState } from 'preact/hooks';
import type { RunSource } from '../data/page-source.ts';
import { DiffView } from '../parts/diff-view.tsx';
import { useLoaded } from '../parts/use-loaded.ts';

/** What the whole run has changed; asked for when it is opened. */
export function WholeDiff({ source }: { readonly source: RunSource }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section class="whole-diff" aria-label="What the run changed">
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        What the whole run changed
      </button>
      {isOpen && <RunDiff source={source} />}
    </section>
  );
}

function RunDiff({ source }: { readonly source: RunSource }) {
  const { value, error } = useLoaded(() => source.diff(null), source.key, []);
  if (error !== null) return <p class="problem">{error}</p>;
  if (value === undefined) return <p class="faint">Loading …</p>;
  return value === null ? <p class="faint">{source.leftOut || 'What the run changed was not kept.'}</p> : <DiffView patch={value} />;
}
