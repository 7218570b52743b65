import { AGENT_CLIS, isAgentCli } from './backend-spec.ts';
import type { FailureClass } from './turn.ts';

const NATIVE_LOGIN = 'set the key of the model’s provider (`ralph doctor` names its variable)';

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
  const known = type === 'native' ? NATIVE_LOGIN : isAgentCli(type) ? AGENT_CLIS[type].login : undefined;
  return `sign in to ${backend}: ${known ?? 'with its own command, or renew its key'}`;
}
