/** Door to `views/review`: what a person reads before deciding about the work of a run, as rows, text, JSON and Markdown. */
export { toReview } from './create-review.ts';
export type { Review, SaidFacts, SaidText, TodoLine } from './review.ts';
export { toReviewMarkdown } from './review-markdown.ts';
export { toReviewDetails, toReviewScreen } from './review-screen.ts';
