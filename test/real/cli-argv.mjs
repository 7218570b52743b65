/** The command line of each CLI for one unattended turn with its structured stream, as Ralph's backends build it. */

/**
 * @typedef {object} TurnOptions
 * @property {string} prompt
 * @property {string} model
 * @property {string} cwd
 */

/**
 * @param {string} name
 * @param {TurnOptions} turn
 * @returns {{ args: string[], input: string | undefined }} input: what goes to stdin; undefined means that stdin is closed
 */
export function turnArgv(name, turn) {
  const build = ARGV[name];
  if (build === undefined) throw new Error(`No command line for CLI '${name}'.`);
  return { args: build(turn), input: name === 'codex' ? turn.prompt : undefined };
}

/** @type {Record<string, (turn: TurnOptions) => string[]>} */
const ARGV = {
  claude: ({ prompt, model }) => [
    '-p',
    '--output-format',
    'stream-json',
    '--verbose',
    '--include-partial-messages',
    '--dangerously-skip-permissions',
    '--model',
    model,
    prompt,
  ],
  codex: ({ model }) => ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '--json', '-m', model, '-'],
  opencode: ({ prompt, model }) => ['run', '--format', 'json', '-m', `mock/${model}`, prompt],
  pi: ({ prompt, model }) => ['-p', '--mode', 'json', '--provider', 'mock', '--model', model, prompt],
  gemini: ({ prompt, model }) => ['--yolo', '--skip-trust', '-o', 'stream-json', '-m', model, '-p', prompt],
  copilot: ({ prompt, model }) => [
    '--allow-all',
    '--no-auto-update',
    '--no-ask-user',
    '--output-format',
    'json',
    '--model',
    model,
    '-p',
    prompt,
  ],
  qwen: ({ prompt, model }) => ['--yolo', '--auth-type', 'openai', '-o', 'stream-json', '-m', model, '-p', prompt],
  cline: ({ prompt, model }) => ['--json', '-P', 'openai-compatible', '-m', model, prompt],
  auggie: ({ prompt, cwd }) => ['-p', '--output-format', 'json', '--dont-save-session', '-w', cwd, '-i', prompt],
};

/** Command lines that speak the Agent Client Protocol over stdio. @type {Record<string, (model: string) => string[]>} */
export const ACP_ARGV = {
  gemini: (model) => ['--acp', '--skip-trust', '-m', model],
  opencode: () => ['acp'],
  qwen: (model) => ['--acp', '--auth-type', 'openai', '-m', model],
  copilot: (model) => ['--acp', '--no-auto-update', '--model', model],
  auggie: () => ['--acp'],
};

const BYPASS_FLAGS = ['--dangerously-skip-permissions', '--dangerously-bypass-approvals-and-sandbox', '--yolo', '--allow-all'];

/**
 * The same turn with the CLI's own permission system in force. opencode is steered by its config and pi has no such system,
 * so for them nothing changes.
 *
 * @param {string} name
 * @param {string[]} args
 * @returns {string[]}
 */
export function withoutBypass(name, args) {
  const kept = args.filter((arg) => !BYPASS_FLAGS.includes(arg));
  if (name === 'codex') return [...kept.slice(0, -1), '-s', 'read-only', '-'];
  return name === 'cline' ? ['--auto-approve', 'false', ...kept] : kept;
}
