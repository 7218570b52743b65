import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type ProbeResult, writeVerdict } from '../sandbox/probe-verdict.ts';
import { listCliStandings } from './cli-standings.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A machine with these CLIs, each of version 9.9.9. */
function createMachine(...clis: readonly string[]): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-standings-'));
  folders.push(folder);
  for (const cli of clis) {
    writeFileSync(join(folder, cli), '#!/bin/sh\necho 9.9.9\n');
    chmodSync(join(folder, cli), 0o755);
  }
  return { PATH: folder, HOME: folder, XDG_CACHE_HOME: join(folder, 'cache') };
}

const RESULT: ProbeResult = { outcome: 'held', through: [], others: [], ranTests: true, published: true, note: '' };
const VERDICT = { v: 2, profile: 'critic', at: '2026-01-01T00:00:00.000Z', flags: RESULT, os: null } as const;

describe('what is known of the agent CLIs of a machine', () => {
  it('is said of each that is installed, also that it was not probed', async () => {
    const env = createMachine('claude', 'codex', 'gemini');
    const [first] = await listCliStandings(env);
    const verdict = { ...VERDICT, version: first?.version ?? '', ralph: RALPH_VERSION };
    writeVerdict({ ...verdict, cli: 'codex' }, env);
    writeVerdict({ ...verdict, cli: 'gemini', os: { ...RESULT, outcome: 'broken' } }, env);
    const standings = await listCliStandings(env);
    expect(Object.fromEntries(standings.map(({ cli, standing }) => [cli, standing]))).toEqual({
      claude: 'not probed',
      codex: 'probed',
      gemini: 'disproved',
    });
  });

  it('counts no verdict about another version, or by another Ralph', async () => {
    const env = createMachine('claude');
    const [{ version = '' } = {}] = await listCliStandings(env);
    writeVerdict({ ...VERDICT, cli: 'claude', version: '1.0.0', ralph: RALPH_VERSION }, env);
    writeVerdict({ ...VERDICT, cli: 'claude', version, ralph: '0.0.0-other' }, env);
    expect((await listCliStandings(env)).map(({ standing }) => standing)).toEqual(['not probed']);
  });
});
