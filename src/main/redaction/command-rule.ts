import { closesString } from './closes-string.ts'
import { SECRET_OPTIONS } from './command-options.ts'
import { isPlaceholder } from './named/placeholder.ts'
import { unlessKey, type Place, type Rule, type Verdict } from './rule.ts'

const AHEAD = 600
const BEHIND = 400

/** Matches secrets that a command line hands to a program without naming them: `curl -u me:…`, `mysql -p…`, `sshpass -p …`. */
export const COMMAND_RULES: readonly Rule[] = SECRET_OPTIONS.map(({ anchors, before, value }) => ({
  name: 'command-secret',
  anchors,
  isKeyFormat: false,
  match(place: Place): Verdict {
    const { text, final, at, after } = place
    if (!/^[\s"'`;|&(]?$/.test(place.behind(at, 1)) && !place.boundary(at)) return after
    if (text[at] === '-' && !/[\s"']$/.test(place.behind(at, 1))) return after
    if (before.source !== '^' && !before.test(`${text.slice(Math.max(0, at - BEHIND), at)} `)) return after
    // With the quote that ends the anchor: it says where the value ends.
    const from = after - (/["'\\]$/.test(text.slice(at, after)) ? 1 : 0)
    const ahead = text.slice(from, from + AHEAD)
    if (!final && ahead.length < AHEAD && !/[\r\n]/.test(ahead)) return 'more'
    const hit = value.exec(ahead)
    // Not the escape of the quote after it.
    const written = hit?.[2] ?? ''
    const secret = written.replace(/\\+$/, '')
    if (hit === null || isPlaceholder(secret) || /^[$<{%-]|\[redacted:|<private>/i.test(secret)) return after
    // `ACCESS_KEY SECRET_KEY`: what a guide calls them.
    if (/^[A-Z]+(?:[_-][A-Z]+)+$|^[A-Z]{0,12}(?:KEY|TOKEN|SECRET|PASSWORD)$/.test(secret)) return after
    const start = from + hit[0].length - written.length
    // A shell replaces variables, but not in single quotes.
    if (text[start - 1] !== "'" && /\$\{?[A-Za-z_]/.test(secret)) return after
    const quote = /\\*["']$/.exec(text.slice(from, start))?.[0]
    if (quote !== undefined && closesString(quote, place.behind(start - quote.length, BEHIND), secret)) return after
    return unlessKey(place, start, start + secret.length)
  },
}))
