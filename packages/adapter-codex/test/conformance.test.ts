import { conformAdapter, notPassed } from '@devflow/core/testing';
import { expect, test } from 'vitest';

import { installedAgent } from '../../../scripts/agents-install.js';
import { conformance } from '../src/conformance.ts';
import { codex } from '../src/index.ts';

test('the adapter conforms', { timeout: 120_000 }, async () => {
  const realBinary = installedAgent('codex');
  const report = await conformAdapter({ adapter: codex(), ...conformance, realBinary });
  expect(notPassed(report)).toEqual({ 'wire-idempotent': 'UNSUPPORTED: it offers no wiring' });
});
