import type { IterationStart } from '../../core/run/effects.ts';
import { type TurnId, toTurnName } from '../../core/run/turn.ts';
import type { ScopeViolations } from '../../core/tools/scope-violations.ts';
import type { InboxBatch } from '../../ports/inbox.ts';
import type { TakenOver } from '../../ports/work-copies.ts';
import type { LoopPorts } from './loop-ports.ts';
import { readWholeInbox } from './read-inbox.ts';

/** Makes the copy in which a turn works; nothing for one that works in the folder itself. */
export async function openCopy({ copies }: LoopPorts, { copy }: IterationStart): Promise<void> {
  if (copy === undefined) return;
  if (copies === undefined) throw new Error('there are no copies of the folder here');
  await copies.open(copy);
}

/** A turn, and the copy in which it worked; absent: the folder itself. */
type CopyTurn = TurnId & { readonly copy?: string };

/** Brings what a turn made in its copy into the folder; the folder is looked at right before. */
export async function takeOverCopy(
  { workspace, copies }: Pick<LoopPorts, 'copies'> & { readonly workspace?: Pick<LoopPorts['workspace'], 'keepBefore'> },
  turn: CopyTurn,
  isReadOnly: boolean,
): Promise<TakenOver & { readonly before: string | null }> {
  if (turn.copy === undefined || copies === undefined) return { before: null };
  const before = (await workspace?.keepBefore(toTurnName(turn))) ?? null;
  return { ...(await copies.takeOver(turn.copy, isReadOnly)), before };
}

/** What was published in a copy: of it nothing was read before. */
export function readCopyInbox({ copies, inbox }: Pick<LoopPorts, 'copies' | 'inbox'>, copy: string): InboxBatch {
  return readWholeInbox(copies?.inboxOf(copy) ?? inbox, 0);
}

const MAX_DISCARDED = 50;

/** A hat that may not write has written in its copy: nothing of it was taken over. */
export function toDiscarded(paths: readonly string[]): ScopeViolations {
  const changes = paths.slice(0, MAX_DISCARDED).map((path) => ({ path, what: 'changed' as const }));
  return { changes, total: paths.length, diffFile: null, reverted: paths.length, notes: [] };
}
