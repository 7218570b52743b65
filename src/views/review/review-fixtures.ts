import { completedRun, START, sampleFacts } from '../fixtures.ts';
import { foldRunView } from '../fold/fold-run-view.ts';
import { type ReviewFacts, toReview } from './create-review.ts';
import type { Review } from './review.ts';

const COMMIT = '3f2a1bc09d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a';

/** What is known of a run in a worktree beside its journal. */
export function sampleReviewFacts(more: Partial<ReviewFacts> = {}): ReviewFacts {
  const { changed } = sampleFacts(['package.json', 'src/cart.mjs', 'test/cart.test.mjs']);
  const files = (changed?.files ?? []).map((file) => ({
    ...file,
    ...(file.path === 'package.json' ? { class: 'gate' as const } : {}),
    ...(file.path === 'src/cart.mjs' ? { added: 40, isAfterGreen: true } : {}),
  }));
  const place = {
    folder: '/project/.ralph/worktrees/20261121-223331-k7f2a-make-the-failing-test',
    isThere: true,
    worktree: '20261121-223331-k7f2a-make-the-failing-test',
    baseBranch: 'main',
    state: {
      head: COMMIT,
      branch: 'ralph/20261121-223331-k7f2a-make-the-failing-test',
      uncommitted: { count: 0, first: [] },
      commits: { count: 2, newest: [COMMIT, '0'.repeat(40)].map((commit, index) => ({ commit, subject: `Cents, part ${2 - index}` })) },
    },
  };
  return {
    facts: sampleFacts([], { changed: changed === null ? null : { ...changed, added: 44, files }, place }),
    said: {
      reviews: [{ by: 'reviewer', iteration: 5, topic: 'review.passed', text: 'Small and clear.\nOne name could be better: `sum2`.' }],
      left: [{ by: 'builder', iteration: 4, topic: null, text: 'Discounts of more than 100 % are not tested yet.' }],
      todos: [{ path: 'src/cart.mjs', text: '// TODO: other currencies' }],
    },
    damage: null,
    isAlive: false,
    now: START + 7_200_000,
    ...more,
  };
}

/** A review of {@link completedRun}. */
export function sampleReview(more: Partial<ReviewFacts> = {}): Review {
  return toReview(foldRunView(completedRun().records), sampleReviewFacts(more));
}
