import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Input } from '../src/core/run/inputs.ts';
import { nodeFileSystem, openJsonlJournal } from '../src/journal/index.ts';
import { makeInputs } from './rooms.ts';

/** A journal that is written by this process, as a run writes it. */
export interface WrittenJournal {
  /** Appends the next input, and waits until the disk has it; its number. */
  readonly append: () => number;
  readonly close: () => void;
}

/** Writes a journal with so many inputs; those that are appended afterwards are synced, one by one. */
export function writeJournal(path: string, runId: string, inputs: number): WrittenJournal {
  mkdirSync(dirname(path), { recursive: true });
  const source = makeInputs(runId, Number.POSITIVE_INFINITY);
  const next = (): Input => source.next().value as Input;
  const quick = openJsonlJournal({ fs: { ...nodeFileSystem, sync: () => undefined }, path }).journal;
  for (let count = 0; count < inputs; count += 1) quick.append(next());
  quick.close();
  const { journal } = openJsonlJournal({ fs: nodeFileSystem, path });
  return { append: () => journal.append(next()).seq, close: () => journal.close() };
}
