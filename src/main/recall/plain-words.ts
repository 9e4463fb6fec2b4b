import { stem } from './stem.ts'

/**
 * English words that are one likely mistake away from a word of developers' texts, such as `bloom` from `boom`. Of all words of
 * SCOWL (size 35, 2020.12.07) these have such a neighbour among the words of 660 README files, chosen on 2026-11-23.
 */
const PLAIN_WORDS = `
  abler adaptor adapts addicts addressees aground aline altar amble analyses apple apply arenas arias artefact assent
  assert asses asset assort auction backlash backs badge badger baits baked bands bandy barer barge baring baser bases
  bashed basic basil basins basis basks baste baths batter beaks beast beater became bedside began begin begun
  behalves behavior being bellow bends beset bettor biased biding bitch bites bitter black bland blare blest blind
  blink block blocs bloom blued bluer bluffer bodes bodices bonds bores bosom botch bowler brain brake brand brash
  brave bride broke broken broker brook broom browse brunch bucks budge buffet buffs build built bumpy bunch bundle
  bused bushy butter calks callus camel cameo canter canvass carat cared carpet carriers carts carve cased cashed
  caste catches catchy categorizes cause cease cedes cells chant chapt charger chars chart chase chats cheat cheery
  chick chink chins choicer choicest choosey choosy chore chose chuck chunky clack clams claret clasps classy clause
  cleansed cleat click clock close closer closest closet cloudy clout clover clowns cluck clump coached coarse coast
  coats codding codes colony comas combat combs comet commando commend commons compact compete complaint completest
  comply composts concert cones conform connects constrains constrict contact contend contract contrast contributory
  convertor coped copiers cords cores corks corns corps county courser covert coves covet cower crass crate cremate
  crests crush crypt culls cures curly currant curry curse cursory curtain cysts daily dared darts deafer dealt decade
  decide decode deeps defied defter deign demon deplete depreciated deprive derail derive despatch detest devise dials
  director direst discard discord discover discus discuses dives docks doily donut doted doubly downy draft drafty
  drawl drawn dread dries drift drips drive drivel driven driver drone droop drove drown dumpy easel edger edict emirs
  endure ensue erase eternal ether evens event evidenced excerpt exist exits expansive expend experienced expert
  expire extent facet factor factory faculty faking falls false falser falter farce fared farms fasts fault faulty
  favor feast fellow fells fends fester feted fetich fever fiend fight filed filet fillet fills filly fined finer
  firms fists fiver flail flake flash flavor flaws flesh flies flighty flits float flogs flour flout flown flushest
  foils folly forbad forced forceps fores forge forger forgot forum foster fount foxed frail freed freer freezer fried
  frieze frill frond front froze fulls fully funds furry gable gains galley gapes garage gasps gavel genera genetic
  gibes givens glitter globe gobbing goner goody gores grain grand grate grater grave greet grind groped growl grown
  grunt guests guise gutter handle handler hands handsful handy hardy hared harsh hasted headier heady healthy heard
  hearth hearty heater heath heats heave heedless heeds hilts hinds hints hoard hoist holed homey homie honor hosed
  huger hunts hushed ideal ideas idler idles impart inaner incite incline indent indicts induces inert infest infinite
  infinity insect instill intend intent interne joint judgment jumpy kinda known lacks laded lager lagged lance lanes
  lapel large larger lasts later latex lathe lather latter lawyer laxer layer leader leads leafs leaky leans learnt
  leasing least ledge leeks lefts legged lengthy libel licence license licks lightens lights likable liked liken liker
  limes lined linen liner linger liter lithe litter littler livable liven liver livest livid loads loafer loafs loaves
  locket locks lodger longs loose loosen looser loser loses losses louder louse loved lover lucks lugged lunch lusts
  maces maker making males mange manger mangy manly manor march marcher market marks marsh masks massage massed
  mastery match matte meant meats meddle media median memorizes menus merger messed metal metes mikes mined miner
  minuet minutest missing mission mistaken misused mixing moans modal model modes modest moose mopped mosses motel
  moths motif mound mousey mousse mousy mover movie mowed mucks muddle multiply mussed muster musty mutter naive
  neatest neatly needled needy negatived nestled nether never newer nicer niche niece nites nodes noses notching notes
  nudes opens ouster overheard overheat overrode paced packet packs paddling pager paint painter palace palls pamper
  panned papal parch pared parentheses parenthesis parents parity parse parsec parser parson partly parts party pasta
  pasts pasty patch patchy patent pathos patter patting patty pauper pecks penned persona pests peter pettier petting
  petty phase phrase piano picks picky pierce pills pined pints pitch pitting placid plaice plaid plain plane planet
  plank plant pliant plugs plums plush podding poets police poling polls poplar pored portend ports postage posts
  potions potted pouts powder practise precious prefect premise present prick pried prince print prong prosper protest
  provably prove pucks pudding punned punts purer purge purse pushy pusses putts puttying quack queue queued quiet
  quite quota quote racer racket radio rages raids raked rally ranger rankled ransom rarer rares ration react reaction
  reactor readier reads ready realm reams rebuild rebuilt recant recover redid reduction reeds reefs referenced refers
  refuse regal relay reliefs relies relives repay replay reply repose resent reset rests retired reuse revere
  reverenced revery rewrite rewrote rifer riles rinks risky rites roach roads robing robot rocker rocks roles roomy
  roost rooter roots rotund rouse route router ruins ruler runes rungs runnier runts ruses rusty sacks safer safes
  sager sages sales sallow salve sample sampler sands sapling sashes saver sawed scabs scaly scant scare scent scheme
  schemer scoops scorer scratchy scums seams seats sects seeds seedy seeks seems seeps seize sells semen sensing
  sentience serve server settling seven sever sewed sexed shadowy shaft shall shams sharks sharps shave shears sheen
  shelf shell shied shifty shingle shins shire shirt shocks shoes shoon shops shore short should shoving shown showy
  shrank shred shrunk sicks sidle sighs sight significantly sills simple simpler simplex simply singe singly sipped
  sites sitting sixes sizer skimp skull slats slave slays slept slews slick slide slights slink slips slits slosh
  sloths sluice slums slush sluts smell smite smocks smoker smoky snide snips snort socks soled sopped sores sorta
  sowing spacial spank spare spars sparser spawn spays speck speed speedy spell spend spent spews spice spied spills
  spilt spins spite spits splash splat splice splint spoil spook spoon sport spreed squarer squire stable stabler
  staff stags staid stair stake stale staler stall standards staple stare stark stars start startled state stater
  statue stave stays steam steep steps stick stiff sting stink stirs stock stole stolid stomp stoop stops store storey
  storms stormy story stout strand stranger strangle strap stray striker string stringy stripe stript strong strung
  stuck studio stuffy style stylus suave subtler subtly sucks suction suite summarizes sunset superb supper supple
  suppliers surer surge swamp sways swell swept swerve swoon tablet tabus tacks tails taken taker tales talks tamer
  tames tangs tanks taped tasks tasted teats teems testis tests thank there thick think thins thong though thought
  thous thread threat three threw throat through throughout throw thrown thrust thuds thugs thyme tiers tiger tiled
  tills timber timer times tings tinny tipis tipsy tired titter toils token tolls tomes toned topics topography
  tortuous touchy tough trace tracks trail trance tread treat treaty treed trees trials tribes trick tries trios trips
  trivia truce truck trued truer trues truest trusty tubed tugged tuned turns tusks tying unfit unison unity unseat
  until useable users usher vender verse victors voice waist waking walls wands waned wards warms warps warrant weakly
  weigh weighty whale wheres while whiten whiter widen wider widow winds wines wings winks wises witch wordy world
  worthy would wrapt wrier wright wring write writer writhe writs wrote wrung xxxix yearn
`

/** Built with the first misspelt word. */
let stems: ReadonlySet<string> | null = null

/** Checks whether a folded word is an English word, so that it is not a misspelling of another. */
export function isPlainWord(word: string): boolean {
  stems ??= new Set(PLAIN_WORDS.trim().split(/\s+/).map(stem))
  return stems.has(stem(word))
}
