import { conformAdapter, notPassed } from '@devflow/core/testing';
import { expect, test } from 'vitest';

import { installedAgent } from '../../../scripts/agents-install.js';
import { conformance } from '../src/conformance.ts';
import { opencode } from '../src/index.ts';

test('the adapter conforms', { timeout: 120_000 }, async () => {
  const realBinary = installedAgent('opencode');
  const report = await conformAdapter({ adapter: opencode(), ...conformance, realBinary });
  expect(notPassed(report)).toEqual({ 'wire-idempotent': 'UNSUPPORTED: it offers no wiring' });
});
