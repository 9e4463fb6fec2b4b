import { charClass } from '../char-class.ts'
import { isPlaceholder } from '../named/placeholder.ts'
import { looksRandom, mixesDigits } from '../named/strength.ts'
import { followRuns, type Rule } from '../rule.ts'

const value = charClass('A-Za-z0-9._~+/=%:-')

/** Matches signatures, keys and one-time codes in the query of an address; more specific names have their own rule. */
export const queryRule: Rule = {
  name: 'url-signature',
  anchors: ['sig=', 'ignature=', 'key=', 'code=', 'state=', 'Credential=', 'auth=']
    .flatMap((name) => (name === 'ignature=' ? [name] : [`?${name}`, `&${name}`, `;${name}`]))
    .concat(['-Credential=']),
  isKeyFormat: false,
  match(place) {
    const { text, at, after } = place
    const ends = followRuns(place, after, [[value, 8, 2048]])
    if (typeof ends !== 'object') return ends
    const anchor = text.slice(at, after)
    // The day, the region and the service after a key stay.
    const [longest = after] = ends
    const slash = anchor.endsWith('Credential=') ? text.slice(after, longest).indexOf('/') : -1
    const end = slash < 0 ? longest : after + slash
    if (anchor === 'ignature=' && !/[?&;-]\w{0,8}s$/i.test(place.behind(at, 12))) return end
    const written = text.slice(after, end)
    if (isPlaceholder(written) || /^%?[A-Z_]+$/.test(written) || text[end] === '(') return end
    const isSure = /sig=|ignature=|Credential=/.test(anchor)
    if (!mixesDigits(written) || (!isSure && (written.length < 16 || !looksRandom(written)))) return end
    const key = place.isKey(after, end)
    if (key === 'more') return 'more'
    return key && slash < 0 ? after : { start: after, end }
  },
}
