import { readFileSync, readdirSync } from 'node:fs';

import { fuzzParser } from '../../../test/fuzz-parser.ts';
import { claude } from '../src/index.ts';

const FIXTURES = new URL('../fixtures/2.1.332/', import.meta.url);

const captures = readdirSync(FIXTURES)
  .filter((name) => name.endsWith('.jsonl'))
  .map((name) => readFileSync(new URL(name, FIXTURES), 'utf8'));

fuzzParser(claude(), captures);
