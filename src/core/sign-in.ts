import type { BackendType } from './backend-spec.ts';
import type { FailureClass } from './turn.ts';

/** How a person signs in to each agent: the one table, for `doctor`, reports and notices. Each is the end of a sentence. */
export const SIGN_IN: Readonly<Partial<Record<BackendType, string>>> = {
  claude: '`claude /login`, or set ANTHROPIC_API_KEY',
  codex: '`codex login`, or set OPENAI_API_KEY',
  gemini: 'start `gemini` once and sign in, or set GEMINI_API_KEY',
  opencode: '`opencode auth login`, or set the API key of your provider',
  pi: 'start `pi` once and use /login, or set the API key of your provider',
  copilot: '`copilot login`, or set GH_TOKEN',
  qwen: 'start `qwen` once and sign in, or set OPENAI_API_KEY with `--auth-type openai`',
  cline: '`cline auth`',
  auggie: '`auggie login`',
  amp: '`amp login`, or set AMP_API_KEY',
  kiro: '`kiro-cli login`, or set KIRO_API_KEY',
  native: 'set the key of the model’s provider (`ralph doctor` names its variable)',
};

/** Failures that no other try mends: a person is needed, or another agent. */
export function isHopeless(failure: FailureClass): failure is 'auth' | 'request' {
  return failure === 'auth' || failure === 'request';
}

/**
 * What a person does about a failure that no other try mends, as one line.
 *
 * @param backend the agent's label, such as `claude` or `custom:./agent.sh`
 */
export function toPersonHelp(backend: string, failure: 'auth' | 'request'): string {
  if (failure === 'request') return `${backend}: check its model (\`cli.model\`, or \`backend: {model}\` of the hat) and its arguments`;
  const type = backend.split(':')[0] ?? '';
  const known = Object.hasOwn(SIGN_IN, type) ? SIGN_IN[type as BackendType] : undefined;
  return `sign in to ${backend}: ${known ?? 'with its own command, or renew its key'}`;
}
