const STEMS = 'pass pwd passwd secret token cred key auth psk'.split(' ')
const forms = (stem: string) => [stem, stem[0]?.toUpperCase() + stem.slice(1), stem.toUpperCase()]

/** What the names of secrets have in them. */
export const NAME_STEMS: readonly string[] = STEMS.flatMap(forms)
