import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { GateResult } from '../core/gates/gate-result.ts';
import { createMemoryFleet } from '../fleet/fleet-fixtures.ts';
import type { RunKeeper } from '../fleet/keep-run.ts';
import type { KeptRecord } from '../fleet/run-records.ts';
import { bringEvidence, keepEvidence, MAX_KEPT_OUTPUT_BYTES } from './kept-evidence.ts';
import { readKeptState } from './kept-run.ts';
import { writeRecords } from './kept-run-fixtures.ts';

const top = mkdtempSync(join(tmpdir(), 'ralph-evidence-'));
afterAll(() => rmSync(top, { recursive: true, force: true }));

let made = 0;
function makeFolder(): string {
  made += 1;
  const folder = join(top, String(made));
  mkdirSync(folder);
  return folder;
}

function toResult(number: number | null, isCached = false): GateResult {
  const evidence = { number, treeBefore: null, tree: null, isFresh: true, isCached, attempts: 1, outputHash: '', log: null, isCut: false };
  return { gate: 0, command: 'make', passed: true, exitCode: 0, timedOut: false, durationMs: 1, outputTail: '', evidence };
}

/** Runs a gate of which that is in the folder; the records that the fleet keeps, as they are read. */
async function keep(folder: string, results: readonly GateResult[], fleet = createMemoryFleet()) {
  const records: KeptRecord[] = [];
  const keeper = { add: (record: KeptRecord) => void records.push(record) } as unknown as RunKeeper;
  const gates = keepEvidence({ run: async () => results }, { fleet, keeper }, folder);
  expect(await gates.run([], new AbortController().signal, () => undefined)).toBe(results);
  await writeRecords(fleet, 'home', records);
  return (await readKeptState(fleet, 'run-1')).evidence;
}

const read = (folder: string) => Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));

describe('what gates of a run showed, in a fleet', () => {
  test('is in another folder of the run what it was in the first one', async () => {
    const [here, there] = [makeFolder(), join(makeFolder(), 'evidence')];
    writeFileSync(join(here, '3.json'), '{"number":3}');
    writeFileSync(join(here, '3.log'), 'x'.repeat(40_000));
    const fleet = createMemoryFleet();
    await bringEvidence(fleet.blobs, there, await keep(here, [toResult(3), toResult(2, true), toResult(null)], fleet));
    expect(read(there)).toEqual(read(here));
  });

  test('comes without the middle of a long output, and says so', async () => {
    const [here, there] = [makeFolder(), makeFolder()];
    writeFileSync(join(here, '1.json'), '{}');
    writeFileSync(join(here, '1.log'), `begin ${'x'.repeat(MAX_KEPT_OUTPUT_BYTES)} end`);
    const fleet = createMemoryFleet();
    await bringEvidence(fleet.blobs, there, await keep(here, [toResult(1)], fleet));
    const log = read(there)['1.log'] ?? '';
    expect(log).toMatch(/^begin x+\n\[10 bytes are left out: [^\n]+\]\nx+ end$/);
    expect(log.length).toBeLessThan(MAX_KEPT_OUTPUT_BYTES + 200);
  });

  test('says in the record that the output is shorter, and what it is then', async () => {
    const [here, there] = [makeFolder(), makeFolder()];
    const record = { number: 1, outputHash: 'of the whole', outputBytes: 1 << 21 };
    for (const number of [1, 2]) {
      writeFileSync(join(here, `${number}.json`), JSON.stringify({ ...record, number }));
      writeFileSync(join(here, `${number}.log`), 'x'.repeat(number === 1 ? 1 << 21 : 100));
    }
    const fleet = createMemoryFleet();
    await bringEvidence(fleet.blobs, there, await keep(here, [toResult(1), toResult(2)], fleet));
    const log = readFileSync(join(there, '1.log'));
    const shortened = { outputHash: createHash('sha256').update(log).digest('hex'), outputBytes: log.length };
    expect(JSON.parse(read(there)['1.json'] ?? '')).toEqual({ ...record, shortened });
    expect(read(there)['2.json']).toBe(read(here)['2.json']);
  });

  test('stays whole at home where the fleet has less of it', async () => {
    const here = makeFolder();
    writeFileSync(join(here, '1.json'), '{\n  "number": 1\n}\n');
    writeFileSync(join(here, '1.log'), 'x'.repeat(1 << 21));
    const before = read(here);
    const fleet = createMemoryFleet();
    await bringEvidence(fleet.blobs, here, await keep(here, [toResult(1)], fleet));
    expect(read(here)).toEqual(before);
  });

  test('is never read whole where somebody made it endless', async () => {
    const [here, there] = [makeFolder(), makeFolder()];
    for (const name of ['1.json', '1.log', '2.json', '2.log']) writeFileSync(join(here, name), 'begin');
    for (const name of ['1.log', '2.json']) truncateSync(join(here, name), 1e12);
    const fleet = createMemoryFleet();
    const kept = await keep(here, [toResult(1), toResult(2)], fleet);
    await bringEvidence(fleet.blobs, there, kept);
    expect(read(there)['1.log']).toMatch(/^begin\0+\n\[\d+ bytes are left out/);
    expect(kept.get(2)?.map(({ name }) => name)).toEqual(['2.log']);
  });

  test('stays whole where it is of the same gate, and goes where the fleet knows another one of that number', async () => {
    const [here, there] = [makeFolder(), makeFolder()];
    for (const number of [1, 2]) {
      writeFileSync(join(here, `${number}.json`), `{"of":"here","number":${number}}`);
      writeFileSync(join(here, `${number}.log`), 'sent');
    }
    writeFileSync(join(there, '1.json'), '{"of":"here","number":1}');
    writeFileSync(join(there, '1.log'), 'whole');
    writeFileSync(join(there, '2.json'), '{"of":"there","number":2}');
    writeFileSync(join(there, '2.log'), 'lost');
    const fleet = createMemoryFleet();
    await bringEvidence(fleet.blobs, there, await keep(here, [toResult(1), toResult(2)], fleet));
    expect(read(there)).toEqual({ ...read(here), '1.log': 'whole' });
  });

  test('is read and written through no link', async () => {
    const [here, there] = [makeFolder(), makeFolder()];
    const outside = join(makeFolder(), 'secret');
    writeFileSync(outside, 'secret');
    writeFileSync(join(here, '1.json'), '{}');
    symlinkSync(outside, join(here, '1.log'));
    const fleet = createMemoryFleet();
    const kept = await keep(here, [toResult(1)], fleet);
    expect(kept.get(1)?.map(({ name }) => name)).toEqual(['1.json']);
    symlinkSync(outside, join(there, '1.json'));
    await bringEvidence(fleet.blobs, there, kept);
    expect([readFileSync(outside, 'utf8'), read(there)]).toEqual(['secret', { '1.json': '{}' }]);
  });

  test('costs no verdict where the server does not take it', async () => {
    const here = makeFolder();
    writeFileSync(join(here, '1.json'), 'x'.repeat(40_000));
    const fleet = createMemoryFleet();
    const away = { ...fleet, blobs: { ...fleet.blobs, put: () => Promise.reject(new Error('away')) } };
    expect((await keep(here, [toResult(1)], away)).size).toBe(0);
  });
});
