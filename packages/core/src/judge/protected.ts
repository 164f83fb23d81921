import type { Finding, ProtectedFacts } from './observation.js';

/** How much of a diff goes into a reason, and so into the journal and the next prompt, in characters. */
const SHOWN_DIFF = 8_000;
/** How many paths a reason names. */
const SHOWN_PATHS = 10;

export function judgeProtected(facts: ProtectedFacts | undefined): Finding[] {
  if (facts === undefined) return [];
  if ('unknown' in facts) {
    const text = `what is protected could not be compared: ${facts.unknown}`;
    return [{ evidence: 'protected', says: 'unknown', outcome: 'incomplete', text }];
  }
  const { changed, diff } = facts;
  if (changed.length === 0) {
    const text = 'what is protected is as it was';
    return [{ evidence: 'protected', says: 'yes', outcome: 'completed', text }];
  }
  const named = changed.slice(0, SHOWN_PATHS).join(', ');
  const more = changed.length > SHOWN_PATHS ? ` and ${changed.length - SHOWN_PATHS} more` : '';
  const text = `changed although protected, put it back: ${named}${more}`;
  return [{ evidence: 'protected', says: 'no', outcome: 'rejected', text, detail: cutDiff(diff) }];
}

/** Never within a character. */
function cutDiff(diff: string): string {
  const points = Array.from(diff);
  if (points.length <= SHOWN_DIFF) return diff;
  const left = points.length - SHOWN_DIFF;
  return `${points.slice(0, SHOWN_DIFF).join('')}\n[${left} of ${points.length} characters are left out]\n`;
}
