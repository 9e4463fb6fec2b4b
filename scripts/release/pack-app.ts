import { join, resolve } from 'node:path'
import { fetchBuilder } from '../fetch-builder.ts'
import { packDesktop } from '../pack-desktop.ts'
import { chooseSigning } from './signing.ts'
import { needed, ROOT, run, runStep } from './step.ts'

/** Packs the desktop app into `out/packages`, signed by what the secrets allow. Arguments go to electron-builder. */
await runStep(async () => {
  const { GITHUB_REPOSITORY: repository } = needed(['GITHUB_REPOSITORY'], 'the app names the place of its updates')
  const { env, config, said } = chooseSigning(process.platform)
  console.log(said)
  // An address makes electron-builder write latest*.yml, which the updater reads, and the address into the app.
  const url = `https://github.com/${repository}/releases/latest/download`
  // Health compares the files of the command with it.
  run(process.execPath, [join(ROOT, 'scripts/write-file-list.ts')])
  await packDesktop({
    root: ROOT,
    builder: await fetchBuilder(console.log),
    args: [...process.argv.slice(2), `-c.directories.output=${resolve('out/packages')}`],
    config: { ...config, publish: { provider: 'generic', url } },
    env,
    onLine: console.log,
  })
})
