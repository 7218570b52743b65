import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { toErrorMessage } from '../core/values/errors.ts';
import { quietly } from '../core/values/result.ts';
import { type HandRound, openHandBox, writeHandRound } from '../emit/hand-file.ts';
import type { RoundPlace } from '../panel/run/panel-settings.ts';
import type { HandedIn, PanelHand } from '../ports/backend.ts';
import { watchFolder } from '../runs/watch-folder.ts';

/** A round whose agent is a program. */
export interface OpenedHand {
  /** Where the round is written down. */
  readonly file: string;
  /** Where its verdicts are, in the run's folder. */
  readonly verdictsFile: string;
  /** Ends it; settles when all that was handed in has its verdict. */
  readonly close: () => Promise<void>;
}

/** Takes what the programs of an agent hand in while it works, one after another. */
export function openHand({ cwd, promptFile, hand }: Pick<RoundPlace, 'cwd' | 'promptFile' | 'hand'>): OpenedHand {
  const { file, round } = writeHandRound(dirname(promptFile), cwd, hand);
  const settle = serveHandIns(round, hand);
  // Whoever is still there and hands in later is told at once that there is no round.
  const close = (): Promise<void> => settle().finally(() => rmSync(file, { force: true }));
  return { file, verdictsFile: round.verdictsFile, close };
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
    // What counts is in the journal; whoever waits for the verdict is told that there is none.
    quietly(() => box.reply(id, { isAccepted, text: isAccepted ? `${text} End your turn now.` : text }));
  };
  const unwatch = watchFolder(dirname(round.handInsFile), look);
  return async () => {
    unwatch();
    look();
    await work;
  };
}
