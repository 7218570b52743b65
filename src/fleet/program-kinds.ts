import { toGateName } from '../core/gates/gate-spec.ts';
import type { HookOutcome } from '../core/hooks/hook-spec.ts';
import { toSentHandler } from '../core/hooks/sent-handler.ts';
import { maskControls } from '../core/text/mask-controls.ts';
import { toOneLine } from '../core/text/shorten.ts';
import { isRalphError } from '../core/values/errors.ts';
import type { BlobReading, Blobs } from '../ports/fleet.ts';
import type { AwayGateOrder, AwayGateRan } from '../ports/gate-runner.ts';
import type { AwayHookOrder } from '../ports/hook-runner.ts';
import { toGateOrderName, toHookOrderName } from './fleet-names.ts';
import { parseHookWords } from './hook-messages.ts';
import { GATE_PROTOCOL, HOOK_PROTOCOL, parseGateWords } from './messages.ts';
import type { AwayProgram } from './offer-programs.ts';
import { MAX_FILE_BYTES } from './too-large.ts';

/** So often a program is offered where each of its workers is lost; each retry that a gate may have is one more. */
const OFFERS = 3;

/** A name that is a command is as long as that: its beginning tells which one is meant. */
function toTitle(name: string): string {
  return toOneLine(maskControls(name), TITLE_LENGTH);
}

const TITLE_LENGTH = 40;

/** The command of a gate, as it is offered to workers. */
export function toGateProgram(order: AwayGateOrder, blobs: Blobs): AwayProgram<AwayGateRan> {
  const { gate, spec } = order;
  return {
    name: toGateOrderName(gate),
    title: `Gate ${toTitle(toGateName(spec))}`,
    labels: spec.runsOn ?? [],
    protocol: GATE_PROTOCOL,
    offers: OFFERS + (spec.retries ?? 0),
    task: { kind: 'gate', ...order },
    read: async (report, offer, reading) => {
      const words = parseGateWords(report, offer);
      if (words === null) return null;
      const { shown, log, trouble } = words;
      return { ran: shown === null ? null : { shown, log: log === null ? null : await fetchLog(blobs, log, reading) }, trouble };
    },
  };
}

/** A larger output than any gate keeps is none, and costs no verdict. */
async function fetchLog(blobs: Blobs, log: string, reading: BlobReading): Promise<Uint8Array | null> {
  return blobs.get(log, { ...reading, maxBytes: MAX_FILE_BYTES }).catch((error: unknown) => {
    if (isRalphError(error)) return null;
    throw error;
  });
}

/**
 * A hook and what it is asked, as it is offered to workers; `null` where its script does not travel.
 *
 * @param place its place among the hooks of the run that need a worker, from 0
 * @param folders absolute paths that the working tree has where the run is
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
    title: `Hook ${toTitle(name)}`,
    labels: runsOn,
    protocol: HOOK_PROTOCOL,
    offers: OFFERS,
    task: { kind: 'hook', name, event, timeoutMs, handler, told },
    read: async (report, offer) => parseHookWords(report, offer),
  };
}
