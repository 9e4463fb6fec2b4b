import texts from './texts/vocabulary.json' with { type: 'json' }

const words = (text: string): readonly string[] => text.split(' ')

/** A project in the demo. */
export interface DemoProject {
  readonly folder: string
  readonly branches: readonly string[]
  readonly language: 'ts' | 'py' | 'rs' | 'go'
  readonly folders: readonly string[]
  readonly nouns: readonly string[]
}

export const PROJECTS = texts.projects as readonly DemoProject[]
export const NOUNS = words(texts.nouns)
export const VERBS = words(texts.verbs)
export const ADJECTIVES = words(texts.adjectives)
export const SYMPTOMS: readonly string[] = texts.symptoms
export const CAUSES: readonly string[] = texts.causes
export const REMEDIES: readonly string[] = texts.remedies
export const WISHES: readonly string[] = texts.wishes
export const LIBRARIES = words(texts.libraries)
