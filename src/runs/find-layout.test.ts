import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findLayout } from './find-layout.ts';

function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-layout-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

it('is where the configuration says that state is', () => {
  const folder = makeFolder();
  writeFileSync(join(folder, 'ralph.yml'), 'core: {state_dir: .state}\n');
  mkdirSync(join(folder, 'sub'));
  mkdirSync(join(folder, '.state/runs'), { recursive: true });
  expect(findLayout(join(folder, 'sub')).stateDir).toBe(join(folder, '.state'));
});

it.each(['pipe', 'device'] as const)('waits for nothing that an agent left in the place of a configuration: a %s', (what) => {
  const folder = makeFolder();
  if (what === 'pipe') execFileSync('mkfifo', [join(folder, 'ralph.yml')]);
  else symlinkSync('/dev/zero', join(folder, 'ralph.yml'));
  expect(findLayout(folder).stateDir).toBe(join(folder, '.ralph'));
});
