import type { IterationStart } from '../../core/run/effects.ts';
import { type TurnId, toTurnName } from '../../core/run/turn.ts';
import type { PanelDesk } from '../../ports/backend.ts';
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

/** What the working tree is like before the work of a turn. */
export interface TreeBefore extends Pick<PanelDesk, 'takingOver'> {
  readonly before: () => Promise<string | null>;
}

/** Agents of a panel work in copies: what changes in the folder until the work that won is taken over is not theirs, and where none is, nothing is. */
export async function lookAtTree({ workspace }: LoopPorts, order: IterationStart): Promise<TreeBefore> {
  const name = toTurnName(order);
  let before: Promise<string | null> | undefined;
  const look = (): Promise<string | null> => {
    before ??= order.copy === undefined ? workspace.keepBefore(name) : Promise.resolve(null);
    return before;
  };
  if (order.panel === undefined) await look();
  else if (order.copy === undefined) await workspace.keepOpened(name);
  return { before: look, takingOver: async () => void (await look()) };
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
