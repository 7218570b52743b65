/** How each CLI is named as the backend of a hat, and what is known of its reports. */
import { ACP_ARGV } from './cli-argv.mjs';
import { modelOf } from './cli-config.mjs';

/**
 * @typedef {object} Wearer
 * @property {string} cli short name in `clis.mjs`; `acp` for a CLI that is worn over the Agent Client Protocol
 * @property {string} bin the CLI that must be installed
 * @property {unknown} backend as it stands in ralph.yml
 * @property {string} label what Ralph calls it
 * @property {string} dialect in which it asks the model server
 * @property {RegExp} agent its User-Agent header
 * @property {boolean} counts it reports tokens
 * @property {boolean} prices it reports a cost
 * @property {boolean} tellsTools its stream shows tool calls
 */

/** @type {Record<string, Omit<Wearer, 'cli' | 'bin' | 'label' | 'tellsTools'>>} */
const WEARERS = {
  claude: {
    backend: { type: 'claude', model: modelOf('claude') },
    dialect: 'anthropic',
    agent: /^claude-cli\//,
    counts: true,
    prices: true,
  },
  codex: { backend: 'codex', dialect: 'responses', agent: /^codex/, counts: true, prices: false },
  opencode: {
    backend: { type: 'opencode', model: 'mock/mock-model' },
    dialect: 'chat',
    agent: /opencode|ai-sdk/,
    counts: true,
    prices: true,
  },
  gemini: { backend: { type: 'gemini', model: modelOf('gemini') }, dialect: 'gemini', agent: /^GeminiCLI/, counts: true, prices: false },
  pi: {
    backend: { type: 'pi', args: ['--provider', 'mock'], model: 'mock-model' },
    dialect: 'chat',
    agent: /./,
    counts: true,
    prices: true,
  },
  copilot: { backend: { type: 'copilot', model: 'mock-model' }, dialect: 'chat', agent: /./, counts: false, prices: false },
  qwen: {
    backend: { type: 'qwen', args: ['--auth-type', 'openai'], model: 'mock-model' },
    dialect: 'chat',
    agent: /QwenCode/,
    counts: true,
    prices: false,
  },
  cline: {
    backend: { type: 'cline', args: ['-P', 'openai-compatible'], model: 'mock-model' },
    dialect: 'chat',
    agent: /./,
    counts: true,
    prices: false,
  },
  auggie: { backend: 'auggie', dialect: 'augment', agent: /./, counts: false, prices: false },
};

/** CLIs that can stand in for "any agent that speaks the protocol", the one with the most particular manners first. */
const ACP_CLIS = ['gemini', 'copilot', 'opencode'];

/**
 * @param {string} cli
 * @returns {Wearer}
 */
export function wearerOf(cli) {
  const known = WEARERS[cli];
  if (known === undefined) throw new Error(`No backend is known for CLI '${cli}'.`);
  return { cli, bin: cli, label: cli, tellsTools: cli !== 'auggie', ...known };
}

/**
 * The same CLI as one of the others, but spoken to over the Agent Client Protocol.
 *
 * @param {string[]} installed short names
 * @returns {Wearer | undefined} undefined when none of those that can is there
 */
export function acpWearerOf(installed) {
  return acpWearersOf(installed)[0];
}

/**
 * All of them.
 *
 * @param {string[]} installed short names
 * @returns {Wearer[]}
 */
export function acpWearersOf(installed) {
  return ACP_CLIS.filter((cli) => installed.includes(cli)).flatMap((cli) => toAcpWearer(cli) ?? []);
}

/**
 * @param {string} bin
 * @returns {Wearer | undefined}
 */
function toAcpWearer(bin) {
  const argv = ACP_ARGV[bin];
  if (argv === undefined) return undefined;
  const { dialect, agent } = wearerOf(bin);
  return {
    cli: 'acp',
    bin,
    backend: { type: 'acp', command: bin, args: argv(modelOf(bin)) },
    label: `acp:${bin}`,
    dialect,
    agent,
    counts: true,
    prices: false,
    tellsTools: true,
  };
}
