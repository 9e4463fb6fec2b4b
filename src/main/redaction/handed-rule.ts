import { HANDINGS } from './handings.ts'
import { isDrawn, isPassword } from './named/nearby.ts'
import { isLeet, isPassphrase } from './named/told.ts'
import { isPlaceholder, isTemplate } from './named/placeholder.ts'
import { mixesDigits } from './named/strength.ts'
import { unlessKey, type Place, type Rule, type Verdict } from './rule.ts'

/** Twenty-four numbered words in columns. */
const AHEAD = 640
const BEHIND = 160
/** The private exponent of a key of 4096 bits. */
const LONGEST = 2000

/**
 * Matches secrets that a call, a statement or a sentence identifies by position: `jwt.sign(x, '…')`, `IDENTIFIED BY
 * '…'`.
 */
export const HANDED_RULES: readonly Rule[] = HANDINGS.map(
  ({ anchors, before, value, isMixed, isDrawn: mustBeDrawn }) => ({
    name: 'handed-secret',
    anchors,
    isKeyFormat: false,
    match(place: Place): Verdict {
      const { text, final, at, after } = place
      if (before !== undefined && !before.test(place.behind(at, BEHIND))) return after
      const ahead = text.slice(after, after + AHEAD)
      const isWhole = final || ahead.length === AHEAD || /[\r\n]/.test(ahead)
      const hit = value.exec(text.slice(after, after + LONGEST))
      if (!isWhole) return 'more'
      // Not the escape of the quote after it.
      const written = hit?.[2] ?? ''
      const secret = written.replace(/\\+$/, '')
      if (hit === null || isPlaceholder(secret) || isTemplate(secret) || /\[redacted:|<private>/i.test(secret))
        return after
      if (isMixed === true && !mixesDigits(secret)) return after
      if (mustBeDrawn === true && ![isDrawn, isPassword, isLeet, isPassphrase].some((test) => test(secret)))
        return after
      const start = after + hit[0].length - written.length
      return unlessKey(place, start, start + secret.length)
    },
  }),
)
