import { existsSync } from 'node:fs'
import { AspyError } from '../../../../shared/contract/errors.ts'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { withoutPathSecret } from '../../../../shared/path-secret.ts'
import { connectionTo } from '../connection.ts'
import { typedCommand } from '../../../base/typed-command.ts'
import { commandState, putCommand, removeCommand } from '../../path-command.ts'
import { claudeFolder } from '../claude-folder.ts'
import { settingsEnvironment, userSettings, type ClientSettings } from '../client-settings.ts'
import { pluginFiles, type PluginPlaces } from './plugin-files.ts'
import { pluginPlaces, preparePluginPlaces } from './plugin-places.ts'
import { isInstalled, isOurPlugin, pluginFolder, setUp, undoSetUp } from './setup.ts'
import { readSetupRecord, type SetupRecord } from './setup-record.ts'

/** Paths of Claude Code on this machine, and how its plugin starts Aspy. */
export interface ClaudeCodePlace {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  /** null if this process has no `aspy` command; then nothing can be installed. */
  readonly aspy: PluginPlaces['aspy'] | null
}

interface SetupInAppOptions {
  readonly dataDir: string
  /** null if Claude Code must not be read or changed. */
  readonly place: ClaudeCodePlace | null
  /** The app's addresses; null while they are not known. */
  readonly urls: () => { readonly app: string | null; readonly proxy: string | null }
  /** Address that the proxy forwards to. */
  readonly upstream: string
  /** The setting `[files] watch_changes`. */
  readonly watchesFiles: () => boolean
}

type Status = OperationOutput<'claude_code.status'>
type State = NonNullable<Status['state']>
type Done = OperationOutput<'claude_code.set_up'>

const LEFT_ALONE = 'This app cannot set up Claude Code because it runs on sample or temporary data.'
const NO_COMMAND =
  `This window has no aspy command for the plugin to call. Run ${typedCommand()} setup in a terminal. ` +
  'An AppImage, or an app on a disk image, has none, since its place does not last: install the app, or take the tar.gz.'
const IN_TERMINAL =
  'A base URL or its login service is set, and the service may be this app. ' +
  `Run ${typedCommand()} setup --undo in a terminal.`

/** Creates `aspy setup` for the window: everything but the base URL, whose service may be the app itself. */
export function createSetupInApp({ dataDir, place, urls, upstream, watchesFiles }: SetupInAppOptions) {
  const refusal = place === null ? LEFT_ALONE : place.aspy === null ? NO_COMMAND : null

  const here = (aspy: PluginPlaces['aspy']) => {
    const { app } = urls()
    return { dataDir, aspy, appPort: app === null ? 0 : Number(new URL(app).port), watchesFiles: watchesFiles() }
  }

  function pluginState(folder: string, aspy: PluginPlaces['aspy'] | null): State['plugin'] {
    if (!existsSync(folder)) return 'absent'
    if (!isOurPlugin(folder)) return 'not_ours'
    // Without its own `aspy` command, the app cannot tell which command the plugin should contain.
    return aspy === null || isInstalled(folder, pluginFiles(pluginPlaces(here(aspy)))) ? 'installed' : 'out_of_date'
  }

  return {
    status(): Status {
      if (place === null) return { refusal, state: null }
      const { env, home } = place
      const settings = userSettings(env, home)
      const record = readSetupRecord(dataDir)
      const folder = pluginFolder(claudeFolder(env, home))
      const state: State = {
        plugin: pluginState(folder, place.aspy),
        plugin_folder: folder,
        settings_file: settings.file,
        thinking_summaries: settings.values === null ? null : settings.values['showThinkingSummaries'] === true,
        base_url: baseUrlOf(env, settings, record, urls().proxy),
        command: place.aspy === null ? null : commandState(dataDir, { ...place, aspy: place.aspy }),
        can_undo: record.plugins.length + record.changes.length > 0 || record.command !== null || hasService(record),
        undo_in_terminal: hasService(record),
      }
      return { refusal, state }
    },

    /** Throws `conflict` if this app must not set up Claude Code, or if another plugin is in the folder. */
    setUp(withThinking: boolean): Done {
      if (place === null || place.aspy === null) throw new AspyError('conflict', refusal ?? LEFT_ALONE)
      const places = preparePluginPlaces(here(place.aspy))
      return { done: setUp({ ...places, claudeDir: claudeFolder(place.env, place.home), withThinking }) }
    },

    /** Puts the `aspy` command into a folder of the PATH, or removes it. Throws `conflict` if it is not ours. */
    setCommand(onPath: boolean): Done {
      if (place === null || place.aspy === null) throw new AspyError('conflict', refusal ?? LEFT_ALONE)
      return { done: onPath ? putCommand(dataDir, { ...place, aspy: place.aspy }) : removeCommand(dataDir) }
    },

    /** Throws `conflict` if this app must not change Claude Code, or if a base URL would have to be undone. */
    undo(): Done {
      if (place === null) throw new AspyError('conflict', LEFT_ALONE)
      if (hasService(readSetupRecord(dataDir))) throw new AspyError('conflict', IN_TERMINAL)
      return { done: undoSetUp(dataDir) }
    },

    /** Throws file system errors if the path secret can be neither read nor created. */
    connection(): OperationOutput<'claude_code.connection'> {
      const { proxy } = urls()
      return { variables: proxy === null ? null : { ...connectionTo({ dataDir, proxyUrl: proxy, upstream }) } }
    },
  }
}

/** Returns whether setup recorded a base URL, its service or its upstream. */
function hasService({ changes, service, upstream }: SetupRecord): boolean {
  return service || upstream !== null || changes.some(({ path }) => path[0] === 'env')
}

function baseUrlOf(
  env: ClaudeCodePlace['env'],
  settings: ClientSettings,
  { changes }: SetupRecord,
  proxyUrl: string | null,
): State['base_url'] {
  const bySettings = settingsEnvironment([settings])['ANTHROPIC_BASE_URL']
  const url = bySettings || env['ANTHROPIC_BASE_URL']?.trim()
  if (!url) return null
  return {
    url: withoutPathSecret(withoutCredentials(url)),
    from: bySettings ? 'settings' : 'environment',
    by_aspy: changes.some(({ path, after }) => path[1] === 'ANTHROPIC_BASE_URL' && after === bySettings),
    leads_here: proxyUrl !== null && URL.canParse(url) && new URL(url).origin === proxyUrl,
  }
}

/** Removes the user name and password of a gateway, which readers must not see. */
function withoutCredentials(url: string): string {
  if (!URL.canParse(url)) return url
  const shown = new URL(url)
  if (shown.username === '' && shown.password === '') return url
  shown.username = ''
  shown.password = ''
  return shown.href
}
