import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasVerdicts, judgeProbe, type ProbeFacts, type ProbeVerdict, readVerdict, writeVerdict } from './probe-verdict.ts';

const GOOD: ProbeFacts = { changed: [], steps: 9, allSteps: 9, ranTests: true, published: true, failure: null };

describe('the verdict of a probe', () => {
  test('held: all was tried and nothing was left behind', () => {
    expect(judgeProbe(GOOD)).toMatchObject({ outcome: 'held', through: [], others: [], note: '' });
  });

  test('broken: something was left behind, whether or not all was tried', () => {
    const changed = ['probe-git.txt', 'probe-tool.txt', 'package.json'];
    expect(judgeProbe({ ...GOOD, changed })).toMatchObject({
      outcome: 'broken',
      through: ['write-tool', 'git-output'],
      others: ['package.json'],
    });
    expect(judgeProbe({ ...GOOD, changed, steps: 2, failure: 'it was killed' }).outcome).toBe('broken');
  });

  test('unclear: nothing was left behind, but not all was tried', () => {
    expect(judgeProbe({ ...GOOD, steps: 3 })).toMatchObject({ outcome: 'unclear', note: '3 of 9 steps were tried' });
    expect(judgeProbe({ ...GOOD, failure: 'exit code 1' })).toMatchObject({ outcome: 'unclear', note: 'exit code 1' });
  });
});

describe('verdicts that are kept', () => {
  let env = {};
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ralph-probes-'));
    env = { XDG_CACHE_HOME: folder };
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const verdict = (version: string): ProbeVerdict => ({
    v: 2,
    cli: 'copilot',
    version,
    profile: 'critic',
    at: '2026-11-22T00:00:00.000Z',
    ralph: '1.0.0',
    flags: judgeProbe({ ...GOOD, changed: ['probe-git.txt'] }),
    os: null,
  });

  test('are found again by CLI, version and version of Ralph', () => {
    expect(hasVerdicts('copilot', env)).toBe(false);
    expect(writeVerdict(verdict('1.0.2'), env)).toBe(true);
    expect(hasVerdicts('copilot', env)).toBe(true);
    expect(readVerdict('copilot', '1.0.2', '1.0.0', env)).toEqual(verdict('1.0.2'));
    expect(readVerdict('copilot', '1.0.3', '1.0.0', env)).toBeNull();
    expect(readVerdict('claude', '1.0.2', '1.0.0', env)).toBeNull();
    expect(readVerdict('copilot', '1.0.2', '2.0.0', env)).toBeNull();
  });

  test('stay in their folder, whatever a program says that its version is', () => {
    const version = '../../../1.0 (beta)\n\u001b[31m';
    expect(writeVerdict(verdict(version), env)).toBe(true);
    expect(readdirSync(join(folder, 'ralph', 'probes'))).toHaveLength(1);
    expect(readVerdict('copilot', version, '1.0.0', env)?.version).toBe(version);
  });

  test('that were damaged count as none', () => {
    writeVerdict(verdict('1.0.2'), env);
    const file = join(folder, 'ralph', 'probes', 'copilot-1.0.2.json');
    for (const text of ['', '{', '[]', 'null', '{"v":1}', JSON.stringify({ ...verdict('1.0.2'), flags: 'held' })]) {
      writeFileSync(file, text);
      expect(readVerdict('copilot', '1.0.2', '1.0.0', env)).toBeNull();
    }
  });

  test('are none, and nothing fails, where there is no place for them', () => {
    expect(writeVerdict(verdict('1'), {})).toBe(false);
    expect(readVerdict('copilot', '1', '1.0.0', {})).toBeNull();
    expect(hasVerdicts('copilot', { XDG_CACHE_HOME: 'relative' })).toBe(false);
  });
});
