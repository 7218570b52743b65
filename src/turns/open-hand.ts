import { dirname } from 'node:path';
import { findCli } from '../backends/index.ts';
import type { Settings } from '../config/index.ts';
import type { BackendSpec } from '../core/backends/backend-spec.ts';
import { toErrorMessage } from '../core/values/errors.ts';
import { type HandRound, openHandBox, readHandRound, writeHandRound } from '../emit/index.ts';
import type { HandWay } from '../panel/run/index.ts';
import type { HandedIn, PanelHand } from '../ports/backend.ts';
import { watchFolder } from '../runs/index.ts';
import { canAttachEmit } from '../sandbox/index.ts';
import { toAbilities } from './hat-facts.ts';

/** How the agent of a panel hands in: by the surest of the ways that it has. Of a program that nobody knows it is not known whether it can call anything. */
export function findHandWay(settings: Pick<Settings, 'policies' | 'emitTool'>, hat: string, { type }: Pick<BackendSpec, 'type'>): HandWay {
  if (type === 'native' || hasHandInTools(settings, type)) return { kind: 'tools' };
  const cli = findCli(type);
  if (cli === null || toAbilities(settings, hat, false).mayRun === false) return { kind: 'words' };
  return { kind: 'command', command: cli.losesPath === true ? '"$RALPH_BIN"' : 'ralph' };
}

/** Whether an agent CLI gets the tools that hand in: there is no panel without them, so they are attached unless nothing is to be. */
export function hasHandInTools({ emitTool }: Pick<Settings, 'emitTool'>, type: BackendSpec['type']): boolean {
  return type !== 'native' && emitTool !== 'off' && canAttachEmit(type);
}

/** A round whose agent is a program. */
export interface OpenedHand {
  /** Where the round is written down. */
  readonly file: string;
  /** Ends it; settles when all that was handed in has its verdict. */
  readonly close: () => Promise<void>;
}

/** Takes what the programs of an agent hand in while it works, one after another. */
export function openHand({ cwd, folder, hand }: { readonly cwd: string; readonly folder: string; readonly hand: PanelHand }): OpenedHand {
  const file = writeHandRound(folder, cwd, hand);
  const round = readHandRound(file);
  return round === null ? { file, close: async () => undefined } : { file, close: serveHandIns(round, hand) };
}

function serveHandIns(round: HandRound, hand: PanelHand): () => Promise<void> {
  const box = openHandBox(round);
  // An agent may write there what it likes: the same is handed in once.
  const known = new Set<string>();
  let work = Promise.resolve();
  const look = (): void => {
    for (const words of box.read()) {
      if (known.has(words.hand)) continue;
      known.add(words.hand);
      work = work.then(async () => {
        const handing = words.kind === 'answer' ? hand.answer(words.content, words.topic) : hand.vote(words.target, words.reason);
        const handed = await handing.catch((error: unknown) => ({ isAccepted: false, text: toErrorMessage(error) }));
        reply(words.hand, handed);
      });
    }
  };
  const reply = (id: string, { isAccepted, text }: HandedIn): void => {
    try {
      box.reply(id, { isAccepted, text: isAccepted ? `${text} End your turn now.` : text });
    } catch {
      // What counts is in the journal; whoever waits for the verdict is told that there is none.
    }
  };
  const unwatch = watchFolder(dirname(round.handInsFile), look);
  return async () => {
    unwatch();
    look();
    await work;
  };
}
