import { spawnSync } from 'node:child_process';
import { withBundle } from './bundle.mjs';
import { cleanEnvironment, row } from './measure.mjs';

/** What asking hooks adds to a call of a tool, beside the same call without hooks. */
export async function benchHooks() {
  return withBundle(new URL('hooks.ts', import.meta.url), (bundle) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [bundle], { env: cleanEnvironment(), encoding: 'utf8' });
    if (status !== 0) throw new Error(`measuring hooks ended with ${status}: ${stderr.slice(-500)}`);
    return JSON.parse(stdout).map(({ kind, none, one, ten }) =>
      row(
        `a call of a tool with 1 hook: ${kind}`,
        `${one.toFixed(3)} ms`,
        `no hook ${none.toFixed(4)} ms`,
        `${(one / none).toFixed(0)} x`,
        `10 hooks ${ten.toFixed(3)} ms; min of 5`,
      ),
    );
  });
}
