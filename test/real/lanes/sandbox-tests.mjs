/** The suites that need the sandbox of the operating system. */
import { fileURLToPath } from 'node:url';
import { runBounded } from '../run-bounded.mjs';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const SUITES = ['contract/attacks-sandbox', 'e2e/sandbox', 'e2e/sandbox-native', 'e2e/sandbox-resume'].map(
  (name) => `test/${name}.test.ts`,
);
const TIMEOUT_MS = 240_000;

/**
 * @param {unknown} _bench
 * @param {import('../checks.mjs').Checks} checks
 */
export async function runSandboxTests(_bench, checks) {
  const env = /** @type {Record<string, string>} */ ({ ...process.env, NO_COLOR: '1' });
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...SUITES];
  const { exitCode, stdout, stderr } = await runBounded(process.execPath, args, { cwd: ROOT, env, timeoutMs: TIMEOUT_MS });
  if (exitCode === 0) return;
  checks.problems.push(
    `exit code ${exitCode}`,
    ...`${stdout}\n${stderr}`
      .split('\n')
      .filter((line) => /FAIL|Error:|Tests /.test(line))
      .slice(0, 20),
  );
}
