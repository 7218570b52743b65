/**
 * The real agent CLIs that the end to end tests run, in the version that each one's description names, and how it is made to talk to the mock
 * model server instead of a vendor. Versions are exact because every stream format here changes without notice,
 * and because npm otherwise falls back to an older release when `engines` does not fit the running node.
 */
import { listBackends } from './agent-clis.mjs';
import { configure } from './cli-config.mjs';
import { installPackage } from './install.mjs';

/**
 * @typedef {object} CliSpec
 * @property {string} name short name, also the name of Ralph's backend
 * @property {string} package npm package
 * @property {string} version exact version
 * @property {string} bin command that the package installs
 * @property {'arg' | 'stdin'} promptBy how the prompt reaches it in these runs
 * @property {boolean} slow true for clients kept out of the quick lane
 */

/** @type {Readonly<Record<string, Partial<Pick<CliSpec, 'promptBy' | 'slow'>>>>} */
const OPTIONS = { codex: { promptBy: 'stdin' }, qwen: { slow: true }, cline: { slow: true }, auggie: { slow: true } };

/** @type {ReadonlyArray<CliSpec>} */
export const CLIS = listBackends().flatMap(({ type, command, tried }) =>
  tried === null ? [] : [{ name: type, ...tried, bin: command, promptBy: 'arg', slow: false, ...OPTIONS[type] }],
);

/**
 * Picks CLIs by name.
 *
 * @param {string[] | undefined} only names; undefined means all that are not slow
 * @returns {CliSpec[]} in the order of the table
 * @throws {Error} when a name is not in the table
 */
export function chooseClis(only) {
  if (only === undefined) return CLIS.filter((spec) => !spec.slow);
  for (const name of only) {
    if (!CLIS.some((spec) => spec.name === name)) {
      throw new Error(`Unknown CLI '${name}'. Known: ${CLIS.map((spec) => spec.name).join(', ')}.`);
    }
  }
  return CLIS.filter((spec) => only.includes(spec.name));
}

/**
 * @typedef {object} InstalledCli
 * @property {CliSpec} spec
 * @property {string} bin absolute path of the executable
 * @property {string} folder the installation's folder
 * @property {'found' | 'installed' | 'repaired'} how
 * @property {number} durationMs
 */

/**
 * @typedef {object} RefusedCli
 * @property {CliSpec} spec
 * @property {string} reason one line that says why it cannot be used here
 * @property {number} durationMs
 */

/**
 * Makes sure that the given CLIs are in the cache, at most two installs at a time.
 *
 * @param {CliSpec[]} specs
 * @param {{ timeoutMs?: number, report?: (line: string) => void }} [options] timeoutMs bounds each install, default 300000
 * @returns {Promise<{ installed: InstalledCli[], refused: RefusedCli[] }>} every spec is in exactly one of the two lists
 */
export async function installClis(specs, options = {}) {
  const { timeoutMs = 300_000, report = () => {} } = options;
  /** @type {Map<string, InstalledCli>} */
  const installed = new Map();
  /** @type {RefusedCli[]} */
  const refused = [];
  const queue = [...specs];
  const lane = async () => {
    for (let spec = queue.shift(); spec !== undefined; spec = queue.shift()) {
      const startedAt = Date.now();
      try {
        const found = await installPackage(spec, { timeoutMs });
        const durationMs = Date.now() - startedAt;
        installed.set(spec.name, { spec, ...found, durationMs });
        report(`${spec.name}@${spec.version} ${found.how} (${(durationMs / 1000).toFixed(1)} s)`);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        refused.push({ spec, reason, durationMs: Date.now() - startedAt });
        report(`${spec.name}@${spec.version} SKIPPED: ${reason}`);
      }
    }
  };
  await Promise.all([lane(), lane()]);
  const inOrder = specs.map((spec) => installed.get(spec.name)).filter((entry) => entry !== undefined);
  return { installed: inOrder, refused };
}

/**
 * Environment and config files that make one CLI use the mock server only. Writes the files under `home`.
 *
 * @param {string} name the CLI's short name
 * @param {import('./cli-config.mjs').Place} place
 * @returns {Promise<Record<string, string>>} the whole environment: nothing of the caller's leaks in except PATH
 */
export async function environment(name, place) {
  return configure(name, place);
}
