import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { planStart } from '../../src/app/index.ts';
import { judgeProbe, planEmitAttach, writeVerdict } from '../../src/sandbox/index.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ralph-probes-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function writeProgram(path: string, script: string): void {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

describe('a run whose hat may not write, worn by a CLI that was probed', () => {
  const facts = { steps: 9, allSteps: 9, ranTests: true, published: true, failure: null };
  const env = () => ({
    PATH: [join(folder, 'bin'), process.env['PATH']].join(delimiter),
    HOME: folder,
    XDG_CACHE_HOME: join(folder, 'cache'),
  });

  function note(version: string, changed: readonly string[]): void {
    const result = judgeProbe({ ...facts, changed });
    const verdict = { v: 2, cli: 'copilot', version, profile: 'critic', at: '2026-11-22T00:00:00.000Z', ralph: RALPH_VERSION } as const;
    expect(writeVerdict({ ...verdict, flags: result, os: result }, env())).toBe(true);
  }

  function plan(sandbox: string, profile = 'critic') {
    const hat = `{triggers: [task.start, task.resume], publishes: [LOOP_COMPLETE], profile: ${profile}, backend: copilot}`;
    writeFileSync(join(folder, 'ralph.yml'), `sandbox: ${sandbox}\nhats:\n  critic: ${hat}\n`);
    return planStart({ cwd: folder, configFiles: [], flags: { prompt: 'Look.' }, env: env() });
  }

  beforeEach(() => writeProgram(join(folder, 'bin', 'copilot'), 'echo 1.0.2'));

  const about = (warnings: readonly string[]) => warnings.filter((text) => text.includes('probe'));

  test('begins with a loud word where the probe came through', async () => {
    note('1.0.2', ['probe-git.txt']);
    expect(about((await plan('off')).warnings)).toEqual([expect.stringMatching(/critic is worn by copilot 1\.0\.2.*git-output/)]);
  });

  test('does not begin where a sandbox is required as well', async () => {
    note('1.0.2', ['probe-git.txt']);
    await expect(plan('required')).rejects.toMatchObject({ code: 'profile-disproved', exitCode: 1 });
  });

  test('begins without a word where it held, where another version came through, and where the hat may write', async () => {
    note('1.0.2', []);
    expect(about((await plan('off')).warnings)).toEqual([]);
    note('1.0.1', ['probe-git.txt']);
    expect(about((await plan('off')).warnings)).toEqual([]);
    note('1.0.2', ['probe-git.txt']);
    expect(about((await plan('off', 'creator')).warnings)).toEqual([]);
  });
});

describe("pi's extension", () => {
  function call(
    params: unknown,
    name: 'emit_event' | 'ask_person' = 'emit_event',
  ): { readonly said: string; readonly error: string | null } {
    const server = { command: '/bin/false', args: [] };
    const more = { description: 'Publish.', inputSchema: { type: 'object' } };
    const tools = [
      { name: 'emit_event', ...more },
      { name: 'ask_person', ...more },
    ] as const;
    const [file] = planEmitAttach({ cli: 'pi', server, tools, folder, isAlone: true, checks: [] })?.files ?? [];
    const path = join(folder, 'extension.mjs');
    writeFileSync(path, file?.content ?? '');
    const script = `const { default: install } = await import(${JSON.stringify(pathToFileURL(path).href)});
      let tool; install({ registerTool: (given) => { if (given.name === ${JSON.stringify(name)}) tool = given; } });
      const result = await tool.execute('1', ${JSON.stringify(params)}).then((r) => ({ said: r.content[0].text, error: null }), (e) => ({ said: '', error: e.message }));
      console.log(JSON.stringify({ name: tool.name, ...result }));`;
    const env = { PATH: process.env['PATH'], RALPH_BIN: join(folder, 'ralph') };
    const text = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8', env });
    return JSON.parse(text) as ReturnType<typeof call>;
  }

  test('calls `ralph emit` without a shell', () => {
    writeProgram(join(folder, 'ralph'), 'for word in "$@"; do printf "[%s]" "$word"; done');
    expect(call({ topic: 'a.b', payload: '--json $(id)', target: 'x' })).toMatchObject({
      name: 'emit_event',
      said: '[emit][--target][x][--][a.b][--json $(id)]',
    });
    expect(call({ topic: 'a.b', payload: { n: 1 } }).said).toBe('[emit][--json][--][a.b][{"n":1}]');
  });

  test('asks by `ralph ask`, and says whether somebody answered', () => {
    writeProgram(join(folder, 'ralph'), 'for word in "$@"; do printf "[%s]" "$word"; done');
    expect(call({ question: '--drop $(id)?', choices: ['a b', 'c'], default: 'c', deadline_seconds: 60 }, 'ask_person').said).toBe(
      'A person answered: [ask][--choices=a b,c][--default=c][--deadline=60][--][--drop $(id)?]',
    );
    writeProgram(join(folder, 'ralph'), 'echo "Nobody answered: this is the default." >&2; echo no');
    expect(call({ question: 'Drop it?' }, 'ask_person').said).toBe('Nobody answered, so your default counts: no');
    expect(call({ question: 'Which?', choices: ['a,b', 'c'] }, 'ask_person').error).toContain('comma');
  });

  test('hands a refusal on as an error', () => {
    writeProgram(join(folder, 'ralph'), 'echo "critic may not publish a.b" >&2; exit 1');
    expect(call({ topic: 'a.b' })).toMatchObject({ said: '', error: 'critic may not publish a.b' });
  });
});
