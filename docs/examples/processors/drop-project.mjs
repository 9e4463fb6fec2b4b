/**
 * Leaves out all that belongs to some projects. Options: `folders`, a list of working directories; what lies below them
 * is left out too.
 *
 * @type {import('../../../resources/processor.d.ts').Processor}
 */
export default {
  name: 'drop-project',
  process(event, { project, config }) {
    const folders = Array.isArray(config['folders']) ? config['folders'].map(String) : []
    const isDropped =
      project !== null && folders.some((folder) => project === folder || project.startsWith(`${folder}/`))
    return isDropped ? 'drop' : event
  },
}
