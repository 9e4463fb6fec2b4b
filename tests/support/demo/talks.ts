import texts from './texts/talks.json' with { type: 'json' }
import { PROJECTS, type DemoProject } from './vocabulary.ts'

/** Messages of one turn. */
export interface TalkTurn {
  readonly prompt: string
  readonly thought: string
  readonly answer: string
}

/** A conversation about one piece of work, written by hand: what it decides can be searched for. */
export interface Talk {
  /** Below the project's folder. */
  readonly file: string
  readonly functionName: string
  readonly turns: readonly TalkTurn[]
}

/** A talk and the project that it belongs to. */
export interface ProjectTalk {
  readonly project: DemoProject
  readonly talk: Talk
}

const BY_FOLDER: Readonly<Record<string, readonly Talk[]>> = texts

const OF_PROJECTS = PROJECTS.map((project) => ({
  project,
  talks: BY_FOLDER[project.folder.slice(project.folder.lastIndexOf('/') + 1)] ?? [],
}))

/** All talks, a different project each time. */
export const TALKS: readonly ProjectTalk[] = texts['paper-trail'].flatMap((_, index) =>
  OF_PROJECTS.flatMap(({ project, talks }) => talks.slice(index, index + 1).map((talk) => ({ project, talk }))),
)
