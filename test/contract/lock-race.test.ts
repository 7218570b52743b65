import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { expect, it, onTestFinished } from 'vitest';

const RACERS = 4;
const RACE_MS = 5000;
/** Far below what an idle machine reaches: only so much that there was a race. */
const FEW = 10;

interface Tally {
  readonly taken: number;
  readonly takenOver: number;
  readonly held: number;
  readonly broken: readonly string[];
}

/** The racer as a program that plain node runs. */
async function buildRacer(folder: string): Promise<string> {
  const file = join(folder, 'racer.mjs');
  const bundle = await rolldown({ input: fileURLToPath(new URL('./lock-racer.ts', import.meta.url)), platform: 'node' });
  await bundle.write({ file, format: 'esm' });
  await bundle.close();
  return file;
}

it(`grants a lock to one process at a time while ${RACERS} processes fight for it, die with it and take it over`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-race-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const racer = await buildRacer(folder);
  mkdirSync(join(folder, 'dead'));
  // The first thing that all of them find is a lock whose owner is dead.
  writeFileSync(join(folder, 'dead', 'first'), '');
  const stale = { pid: 1, processStart: 'first', host: 'here', runId: 'first', startedAt: 1, command: 'ralph run', nonce: 'first' };
  writeFileSync(join(folder, 'lock'), JSON.stringify(stale));

  const endsAt = Date.now() + RACE_MS;
  const names = Array.from({ length: RACERS }, (_, index) => `racer${index}`);
  const outputs = await Promise.all(names.map((name) => promisify(execFile)(process.execPath, [racer, folder, name, String(endsAt)])));
  const tallies = outputs.map(({ stdout }) => JSON.parse(stdout) as Tally);

  expect(tallies.flatMap(({ broken }) => broken)).toEqual([]);
  const sum = (count: (tally: Tally) => number) => tallies.reduce((total, tally) => total + count(tally), 0);
  expect(sum(({ takenOver }) => takenOver)).toBeGreaterThan(FEW);
  expect(sum(({ held }) => held)).toBeGreaterThan(FEW);
  for (const tally of tallies) expect(tally.taken).toBeGreaterThan(0);
  expect(readdirSync(folder).filter((name) => name.startsWith('lock.'))).toEqual([]);
});
