import { DEFAULT_CAP } from '../output-cap.ts';

/** Room for notices around what a tool cuts itself, so that its result is not cut once more. */
const noticeLines = 10;
const noticeBytes = 2048;

/** What file tools give at most in one result: a little less than what a model reads of any result. */
export const FILE_LIMITS = {
  maxLines: DEFAULT_CAP.maxLines - noticeLines,
  maxBytes: DEFAULT_CAP.maxBytes - noticeBytes,
  maxLineChars: DEFAULT_CAP.maxLineChars - 100,
};

/** Hints of a tool that only looks at files. */
export const READS_FILES = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
