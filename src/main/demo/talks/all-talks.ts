import { PROJECTS } from '../vocabulary.ts'
import { FERRY } from './ferry.ts'
import { KESTREL_UI } from './kestrel-ui.ts'
import { ORCHARD_API } from './orchard-api.ts'
import { PAPER_TRAIL } from './paper-trail.ts'
import type { ProjectTalk, Talk } from './talk.ts'
import { TIDE_TABLES } from './tide-tables.ts'

/** By the name of the project's folder. */
const BY_FOLDER: Readonly<Record<string, readonly Talk[]>> = {
  'paper-trail': PAPER_TRAIL,
  'tide-tables': TIDE_TABLES,
  ferry: FERRY,
  'orchard-api': ORCHARD_API,
  'kestrel-ui': KESTREL_UI,
}

const OF_PROJECTS = PROJECTS.map((project) => ({
  project,
  talks: BY_FOLDER[project.folder.slice(project.folder.lastIndexOf('/') + 1)] ?? [],
}))

/** All talks, a different project each time. */
export const TALKS: readonly ProjectTalk[] = PAPER_TRAIL.flatMap((_, index) =>
  OF_PROJECTS.flatMap(({ project, talks }) => talks.slice(index, index + 1).map((talk) => ({ project, talk }))),
)
