import words from '../../../../resources/words/secret-names.json' with { type: 'json' }

const STEMS = `pass pwd pswd passwd secret token cred key auth psk ${words.stems_in_other_languages}`.split(' ')
const forms = (stem: string) => [stem, stem[0]?.toUpperCase() + stem.slice(1), stem.toUpperCase()]

/** What the names of secrets have in them. */
export const NAME_STEMS: readonly string[] = STEMS.flatMap(forms)
