import { spawnSync } from 'node:child_process';
import { withBundle } from './bundle.mjs';
import { cleanEnvironment, ms, row } from './measure.mjs';

/** What the profiles of 10,000 hats let in of all tools, beside one `JSON.parse` of the same hats. */
export async function benchProfiles() {
  return withBundle(new URL('profiles.ts', import.meta.url), (bundle) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [bundle], { env: cleanEnvironment(), encoding: 'utf8' });
    if (status !== 0) throw new Error(`measuring profiles ended with ${status}: ${stderr.slice(-500)}`);
    const { hats, tools, resolveMs, parseMs, bytes } = JSON.parse(stdout);
    return [
      row(
        `profiles of ${hats.toLocaleString('en')} hats over ${tools} tools`,
        ms(resolveMs),
        `\`JSON.parse\` of them ${ms(parseMs)}`,
        `${(resolveMs / parseMs).toFixed(2)} x`,
        `${((resolveMs / hats) * 1000).toFixed(1)} µs for a hat; ${(bytes / 1e6).toFixed(1)} MB of JSON; median of 9`,
      ),
    ];
  });
}
