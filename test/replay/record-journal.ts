import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Input } from '../../src/core/run/inputs.ts';
import { nodeFileSystem as fs, openJsonlJournal, readJournal } from '../../src/journal/index.ts';
import { runScenario } from '../../src/testing/index.ts';

const SCENARIOS = fileURLToPath(new URL('../scenarios/', import.meta.url));

/** Plays a scenario and keeps the journal of its run at `path`, unless there is one: a recorded journal is never written anew. */
export async function recordJournal(scenario: string, path: string): Promise<void> {
  if (existsSync(path)) return;
  const { folder, runs } = await runScenario(join(SCENARIOS, `${scenario}.yml`), { keep: true });
  try {
    keepJournal(join(folder, 'workspace/.ralph/runs', runs[0]?.runId ?? '', 'journal.jsonl'), folder, path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Keeps the journal of a run that worked below `folder` at `path`, unless there is one. */
export function keepJournal(journal: string, folder: string, path: string): void {
  if (existsSync(path)) return;
  const scratch = mkdtempSync(join(tmpdir(), 'ralph-record-'));
  try {
    const scrubbed = openJsonlJournal({ fs, path: join(scratch, 'journal.jsonl') }).journal;
    readJournal({ fs, path: journal }, ({ input }) => void scrubbed.append(scrub(input, folder)));
    scrubbed.close();
    copyFileSync(join(scratch, 'journal.jsonl'), path);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Takes out what only this machine has: folders, process numbers, start times. */
function scrub(input: Input, folder: string): Input {
  const text = JSON.stringify(input)
    .replaceAll(folder, '/scenario')
    .replace(/"pid":\d+/g, '"pid":4242')
    .replace(/"processStart":"[^"]*"/g, '"processStart":"1"');
  return JSON.parse(text) as Input;
}
