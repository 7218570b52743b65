import { randomUUID } from 'node:crypto';
import { BUILT_IN_CARDS } from '../core/tools/built-in-cards.ts';
import { resolveProfile, toCapabilities } from '../core/tools/tool-profiles.ts';
import { toErrorMessage } from '../core/values/errors.ts';
import type { GateRunnerSettings } from '../gates/gate-contract.ts';
import { toDefined } from '../safety/known-secrets.ts';
import type { TurnSandbox } from '../sandbox/turn-sandbox.ts';
import { openSandbox } from './open-scope-tools.ts';
import type { TurnScopeSettings } from './scope-tools.ts';

/**
 * Puts the sandbox of a safe run around the commands of its gates: what they run is what agents wrote. Each has a home of its own, without a login, and may write in the
 * workspace.
 *
 * @param copy absolute path of the copy of the folder of the run in which they are run instead
 */
export function createGateHold(made: TurnScopeSettings, copy?: string): NonNullable<GateRunnerSettings['hold']> {
  let opened: ReturnType<typeof openSandbox> | undefined;
  return async () => {
    try {
      opened ??= openSandbox(made, copy);
      const { sandboxes } = await opened;
      const sandbox: TurnSandbox = await sandboxes.open({
        // A home of its own for each, also where two commands of the same run are held at the same time.
        turn: `gate.${randomUUID()}`,
        cli: 'custom',
        // What may be changed is what the mounts say.
        may: toCapabilities(resolveProfile(null, BUILT_IN_CARDS)),
        mode: 'required',
        args: [],
        permissions: 'default',
        env: { ...toDefined(made.env) },
        cwd: copy ?? made.workspace,
        qualityCommands: [],
        attach: () => null,
        more: [],
      });
      const { confine } = sandbox.scope;
      if (confine === undefined) throw new Error('there is no sandbox here');
      return { confine, close: sandbox.close };
    } catch (error) {
      return { confine: toRefusal(toErrorMessage(error)), close: () => undefined };
    }
  };
}

/** In the place of a command that could not be held. */
function toRefusal(why: string): Awaited<ReturnType<NonNullable<GateRunnerSettings['hold']>>>['confine'] {
  return ({ env }) => ({
    path: '/bin/sh',
    args: ['-c', 'printf "%s\\n" "$1" >&2; exit 126', 'sh', `Not run, because it could not be held: ${why}`],
    env,
  });
}
