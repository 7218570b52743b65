/** Door to `views/text`: words for people: counts, lists, plain lines, paths. Total functions. */
export { type FactRow, type RunReport, toRowLines, wrapText } from './fact-rows.ts';
export {
  cleanText,
  createTextCleaner,
  cutText,
  toCount,
  toFirstLine,
  toIterationsText,
  toList,
  toNumberText,
  toPlainLine,
} from './plain-text.ts';
