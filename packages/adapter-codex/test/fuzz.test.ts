import { readFileSync, readdirSync } from 'node:fs';

import { fuzzParser } from '../../../test/fuzz-parser.ts';
import { codex } from '../src/index.ts';

const FIXTURES = new URL('../fixtures/0.171.0/', import.meta.url);

const captures = readdirSync(FIXTURES)
  .filter((name) => name.endsWith('.jsonl'))
  .map((name) => readFileSync(new URL(name, FIXTURES), 'utf8'))
  .filter((capture) => capture !== '');

fuzzParser(codex(), captures);
