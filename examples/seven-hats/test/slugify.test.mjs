import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slugify } from '../src/slugify.mjs';

test('words are joined', () => {
  assert.equal(slugify('Hello World'), 'hello-world');
});
