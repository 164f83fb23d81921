import { fuzzParser } from '../../../test/fuzz-parser.ts';
import { opencode } from '../src/index.ts';
import { capture, captured } from './read.ts';

fuzzParser(opencode(), captured().map(capture));
