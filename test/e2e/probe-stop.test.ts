/** Ctrl+C while `ralph doctor --probe` tries a CLI. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isThere, withPlace } from './processes.ts';
import { start } from './ralph.ts';
import { until } from './run-facts.ts';

/** Tells a version, and else writes down its process and waits to be ended. */
const CLI = `#!/bin/sh
[ "$1" = --version ] && { echo "9.9.9 (Claude Code)"; exit 0; }
echo $$ > "$HOME/../../../pid"
exec sleep 120
`;

test('ends the CLI, keeps no verdict and leaves nothing behind', { timeout: 60_000 }, async () => {
  await withPlace({ 'bin/claude': CLI }, async (folder) => {
    const temp = join(folder, 'tmp', 'probes');
    mkdirSync(temp, { recursive: true });
    chmodSync(join(folder, 'bin', 'claude'), 0o755);
    const env = { PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, TMPDIR: temp, XDG_CACHE_HOME: join(folder, 'cache') };
    const { child, done, says } = start(folder, ['doctor', '--probe', 'claude'], env);
    await says('probing claude');
    const pidFile = join(folder, 'tmp', 'pid');
    await until('the CLI is there', () => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '');
    child.kill('SIGINT');
    const { code, stdout } = await done;
    expect([code, stdout]).toEqual([130, '']);
    expect(isThere(Number(readFileSync(pidFile, 'utf8')))).toBe(false);
    expect(readdirSync(temp)).toEqual([]);
    expect(existsSync(join(folder, 'cache', 'ralph', 'probes'))).toBe(false);
  });
});
