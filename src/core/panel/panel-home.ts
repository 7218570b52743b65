/** In the folder of a run: a folder for each of its panels, called by the turn in which it began. */
export const PANELS_FOLDER = 'panels';

/** What came of a panel: the answer that counts, and the votes for each. */
export const DECIDED_FILES = { answer: 'answer.md', votes: 'votes.json' } as const;

/** Whether that can be the name of a panel's folder. */
export function isPanelHome(name: string): boolean {
  return /^\d{1,9}\.\d{1,9}$/.test(name);
}
