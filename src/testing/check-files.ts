import type { ExpectedFile } from './expectation.ts';
import type { Mismatch } from './mismatch.ts';

/** Holds files against what is expected of them. */
export function checkFiles(
  expected: Readonly<Record<string, ExpectedFile>>,
  files: Readonly<Record<string, string | null>>,
): readonly Mismatch[] {
  return Object.entries(expected).flatMap(([name, wanted]) => {
    const text = files[name] ?? null;
    return checkFile(wanted, text).map((words) => ({ what: `files.${name}`, expected: words, seen: text ?? 'there is no such file' }));
  });
}

/** What is expected and not so, in words. */
function checkFile(wanted: ExpectedFile, text: string | null): readonly string[] {
  if (wanted === 'absent') return text === null ? [] : ['not to be there'];
  if (text === null) return ['to be there'];
  if (wanted === 'exists') return [];
  if ('equals' in wanted) return text === wanted.equals ? [] : [`to be ${JSON.stringify(wanted.equals)}`];
  const missing = (wanted.contains ?? []).filter((part) => !text.includes(part)).map((part) => `to contain ${JSON.stringify(part)}`);
  const unwanted = (wanted.lacks ?? []).filter((part) => text.includes(part)).map((part) => `not to contain ${JSON.stringify(part)}`);
  return [...missing, ...unwanted];
}
