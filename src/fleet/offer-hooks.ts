import type { HookOutcome } from '../core/hooks/hook-verdict.ts';
import { toSentHandler } from '../core/hooks/sent-handler.ts';
import { maskControls } from '../core/text/mask-controls.ts';
import type { AwayHookOrder } from '../ports/hook-runner.ts';
import { toHookOrderName } from './fleet-names.ts';
import { parseHookWords } from './hook-messages.ts';
import { HOOK_PROTOCOL } from './messages.ts';
import type { AwayProgram } from './offer-programs.ts';

/** So often a hook is offered where each of its workers is lost. */
const OFFERS = 3;

/**
 * A hook and what it is asked, as it is offered to workers; `null` where its script does not travel.
 *
 * @param place its place among the hooks of the run that need a worker, from 0
 * @param folders absolute paths of the working tree
 */
export function toHookProgram(
  { spec, event: told }: AwayHookOrder,
  place: number,
  folders: readonly string[],
): AwayProgram<{ readonly outcome: HookOutcome }> | null {
  const { name, event, timeoutMs, runsOn = [] } = spec;
  const handler = toSentHandler(spec.handler, folders);
  if (handler === null) return null;
  return {
    name: toHookOrderName(place),
    title: `Hook ${maskControls(name).slice(0, 60)}`,
    labels: runsOn,
    protocol: HOOK_PROTOCOL,
    offers: OFFERS,
    task: { kind: 'hook', name, event, timeoutMs, handler, told },
    read: async (report, offer) => parseHookWords(report, offer),
  };
}
