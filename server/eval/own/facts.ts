/**
 * 200 facts as agents of a made-up company and household would store them, each after its key. Many are about the same
 * people and things, so that a question's few words fit several of them.
 */
export const FACTS = `
ada-role: Ada Whitfield leads the payments team and reports to the CTO.
ben-role: Ben Okafor is the on-call engineer for the search cluster this quarter.
carla-role: Carla Mendes moved from support to product management in March.
dmitri-role: Dmitri Volkov owns the mobile app and its release calendar.
elena-role: Elena Petrou writes the documentation and reviews every changelog.
farid-role: Farid Nasser is a contractor whose agreement ends on 30 September.
grace-role: Grace Liu runs the data warehouse and the weekly metrics report.
hugo-role: Hugo Lambert handles security reviews and the bug bounty programme.
ines-role: Inês Duarte designs the dashboard and prefers comments in Figma.
jonas-role: Jonas Bergman works from Gothenburg and starts at seven in the morning.
kofi-role: Kofi Mensah joined as an intern and is mentored by Ada.
lena-role: Lena Hoffmann is on parental leave until the middle of January.
ada-contact: Ada answers faster on Signal than by e-mail.
ben-contact: Ben's extension in the Dublin office is 4417.
carla-hobby: Carla coaches a girls' football team on Saturdays.
dmitri-review: Dmitri wants pull requests under four hundred lines.
elena-style: Elena asks for British spelling in everything that customers read.
grace-vim: Grace edits in Neovim and shares her configuration in the team repository.
hugo-degree: Hugo wrote his thesis on side channels in elliptic curve libraries.
jonas-remote: Jonas comes to the Dublin office in the first week of every month.
gateway: The API gateway is Envoy 1.31, configured from the repository named harbor-edge.
orders-db: Orders are stored in PostgreSQL 16 on the host pg-orders-02.
sessions: Sessions live in Redis with a time to live of twenty minutes.
queue: Background work goes through a RabbitMQ queue called tide.jobs.
search-cluster: The search cluster has three OpenSearch nodes in eu-west-1.
images: Uploaded images are kept in the S3 bucket larkspur-media-prod.
cdn: Static files are served by Fastly with a cache of one day.
ci: Builds run on Buildkite agents with eight cores.
registry: Container images are pushed to ghcr.io/larkspur and signed with cosign.
flags: Feature flags are managed in Unleash, project key LARK-FF.
metrics: Metrics go to Prometheus and are kept for ninety days.
logs: Application logs are shipped to Loki and deleted after fourteen days.
tracing: Traces are sampled at two percent and sent to Tempo.
secrets: Secrets are read from Vault under the path kv/larkspur.
dns: DNS for larkspur.example is hosted by Gandi and renewed every August.
mail: Transactional mail is sent through Postmark from the stream outbound-eu.
billing-api: The billing service calls Adyen and retries a charge three times.
sso: Staff sign in with Okta; customers use magic links.
mobile-build: The iOS build needs Xcode 16 and takes thirty-five minutes.
android-min: The Android app supports devices from version 9 on.
report-job: The nightly report job starts at 02:15 UTC and usually takes forty minutes.
backup: Database backups are copied to a second region every six hours.
error-code: Error LK-2207 means that the warehouse rejected a shipment label.
helm: The Helm chart of the checkout service is named checkout-web.
wasm: The pricing rules are compiled to WebAssembly from Rust.
schema-tool: Schema changes are applied with Atlas before the rollout begins.
load-test: Load tests use k6 scripts in the folder perf/k6.
lint: The front end is checked by Biome, the Python services by Ruff.
editor-config: Indentation is two spaces in TypeScript and four in Python.
monorepo: All services except the mobile apps live in one repository.
no-friday: Nothing is deployed on Fridays or on the day before a public holiday.
no-orm: The orders service does not use an object-relational mapper.
no-cookies: The marketing site sets no tracking cookies.
no-graphql: The team decided against GraphQL for the partner interface.
no-root: Containers never run as root.
no-weekend: Support does not answer tickets at weekends, except for outages.
no-pto-overlap: Ada and Ben may not be on holiday in the same week.
no-alcohol: The company does not pay for alcohol at client dinners.
no-kafka: We are not going to introduce Kafka before the volume doubles.
no-jira: The design team stopped using Jira and plans in Linear.
not-encrypted: The archive of 2019 is not encrypted and must stay offline.
no-monkey: Production data must never be copied to laptops.
no-refund: Gift cards cannot be refunded.
no-reply: Mails to the address noreply are discarded without being read.
no-auto-renew: The contract with Halden Logistics does not renew by itself.
no-beta: Enterprise customers are not enrolled in beta features.
two-reviews: Changes to the billing code need two approvals.
adr: Architecture decisions are written down as numbered records in docs/adr.
semver: Public packages follow semantic versioning and drop a Node version once a year.
timezone: All timestamps in the interface are shown in the viewer's time zone.
rounding: Prices are rounded half up to whole cents after tax.
retention: Personal data of closed accounts is erased after sixty days.
on-call-pay: On-call weeks are paid with an extra 350 euros.
interview: Candidates get a paid take-home exercise of at most three hours.
budget: The cloud budget for this year is 480,000 euros.
outage-may: On 12 May the checkout was down for forty-seven minutes because of an expired certificate.
outage-june: On 3 June search returned stale results after a failed reindex.
outage-aug: On 19 August a full disk stopped the report job for two nights.
latency: The median response of the catalogue fell from 180 to 95 milliseconds after caching.
conversion: The new checkout raised conversion by 3.4 percent.
headcount: The company has sixty-two employees, nineteen of them engineers.
runway: The last funding round was 14 million euros, led by Northgate.
tickets: Support closes about 140 tickets a week.
nps: The latest net promoter score is 41.
rate-limit: The partner interface allows 600 requests a minute for each key.
upload-size: Uploads are limited to 25 megabytes.
pod-memory: A checkout pod gets 768 megabytes of memory and half a core.
retries: Webhooks are retried eight times over two days.
launch-date: The loyalty programme starts on 4 November.
audit-date: The SOC 2 auditors visit in the second week of October.
lease: The Dublin lease runs until 2028 and costs 11,200 euros a month.
crash-rate: The crash rate of the Android app is 0.6 percent, that of iOS 0.2.
coverage: Test coverage of the orders service dropped to 71 percent.
survey: Fifty-eight of seventy customers asked for dark mode.
stock-sync: Stock levels are synchronized with the shops every ninety seconds.
password-length: Passwords must have at least fourteen characters.
trial: The free trial lasts twenty-one days.
discount: Charities get a discount of thirty percent.
parcel: Parcels heavier than 30 kilograms go by pallet.
meeting-count: Engineers have at most six hours of meetings a week.
halden: Halden Logistics is our biggest customer and pays by quarterly invoice.
brightwell: Brightwell Pharmacies needs a data centre in Germany.
corvid: Corvid Games integrates through the webhook topic order.shipped.
delmar: Delmar Surf asked for prices in Mexican pesos.
eastgate: Eastgate Museums uses the ticketing plug-in on forty sites.
fennimore: Fennimore Books complained about slow exports of their catalogue.
greenleaf: Greenleaf Organics pays late and has to be reminded every month.
hartmann: Hartmann Werkzeuge wants delivery notes in German and Polish.
isola: Isola Travel left for a competitor because there was no offline mode.
juniper: Juniper Bikes signed a three-year agreement in February.
kestrel: Kestrel Air tests in the sandbox with the account kestrel-uat.
lumen: Lumen Lighting's contact is Priya Raman, who prefers video calls.
mossbank: Mossbank Dairy orders cold-chain labels in batches of five thousand.
northgate: Northgate has a seat on the board, held by Samuel Price.
orchard: Orchard Schools may only be billed after the end of term.
pelican: Pelican Press needs ISBN numbers printed on the packing slip.
quill: Quill Stationery had its account merged with Paper & Co.
rowan: Rowan Furniture ships sofas that need two drivers.
sable: Sable Fashion's returns go to the warehouse in Tilburg.
tern: Tern Coffee subscribes 1,800 households to a monthly box.
nora-tea: Nora drinks green tea without sugar and no coffee at all.
nora-diet: Nora is vegetarian but eats fish at her mother's table.
nora-desk: Nora works standing up in the morning and sits after lunch.
nora-editor: Nora's terminal font is Iosevka at size 13.
nora-music: Nora listens to baroque cello when she has to concentrate.
nora-book: Nora is reading The Left Hand of Darkness for the second time.
nora-run: Nora ran the Cork half marathon in one hour and fifty-two minutes.
nora-lang: Nora learned Portuguese from her grandmother in Porto.
nora-meeting: Nora does not take meetings before ten.
nora-news: Nora wants a summary of the news at half past seven, without sports.
nora-photo: Nora develops black and white film in the bathroom.
nora-bike: Nora commutes on a blue Brompton with a dynamo light.
nora-phone: Nora's phone stays in another room after nine in the evening.
nora-gift: Nora would like a ticket for the opera as a birthday present.
nora-fear: Nora is afraid of heights and avoids glass lifts.
nora-pottery: Nora takes a pottery class on Wednesday evenings.
nora-garden: Nora grows tomatoes and basil on the balcony.
nora-chess: Nora plays the Caro-Kann against king's pawn openings.
nora-writing: Nora wants drafts in short sentences and without adverbs.
nora-calendar: Nora blocks Thursday afternoons for uninterrupted work.
nora-bank: Nora keeps her savings at Triodos and an account for bills at AIB.
nora-car: Nora has a driving licence but does not own a car.
nora-podcast: Nora records a podcast about bridges with her friend Oona.
nora-perfume: Strong perfume gives Nora a headache.
nora-hat: Nora lost her grey wool hat on the tram in Vienna.
tomas: Nora's husband Tomás teaches chemistry at a secondary school.
mila: Their daughter Mila is six and has started violin lessons.
mila-allergy: Mila is allergic to hazelnuts and carries an adrenaline pen.
mila-school: Mila's school is closed on the first Monday of each month.
olaf: The family dog is an old greyhound called Olaf.
olaf-pill: Olaf gets half a thyroid tablet with his breakfast.
mother: Nora's mother lives in Galway and turned seventy in April.
brother: Nora's brother Cillian is a carpenter in Toronto.
blood: Nora's blood group is O negative.
dentist: The next dental appointment is on 9 December at 08:40 with Dr. Keane.
glasses: Tomás needs reading glasses of plus 1.5.
vaccine: Mila had her measles booster on 17 September.
knee: Nora hurt her left knee skiing and still does exercises for it.
nanny: Aoife looks after Mila on Tuesdays and Thursdays until six.
migraine: Tomás takes sumatriptan when a migraine begins.
porto-trip: The family flies to Porto on 22 December and returns on 3 January.
passport: Tomás's passport expires in May next year.
hotel: In Lisbon they always stay at the Casa do Jasmim.
seat: Nora books aisle seats, Tomás likes the window.
ferry: The ferry to Holyhead leaves at 08:05 from terminal one.
insurance: The travel insurance is with Helvia, policy HV-77310.
boiler: The boiler was serviced in June by a firm called Warmth & Sons.
alarm: The house alarm is armed with the key fob, never with a code.
wifi: The guest network at home is called Heron.
roof: The roof leaks above the landing when the wind comes from the east.
paint: The living room is painted in a colour named Cromarty.
bins: The green bin is collected every second Thursday.
key: A spare key is with the neighbour, Mrs. Delaney.
piano: The piano is tuned twice a year by Mr. Szabo.
freezer: The freezer in the garage is set to minus twenty.
de-urlaub: Die Buchhaltung ist vom 23. Dezember bis zum 2. Januar geschlossen.
de-drucker: Der Drucker im dritten Stock braucht die Tonerkassette TN-2420.
de-schluessel: Den Schlüssel zum Serverraum verwahrt der Hausmeister, Herr Brandt.
de-kunde: Hartmann möchte Rechnungen nur noch auf Papier erhalten.
fr-bureau: Le bureau de Lyon déménage rue de la Charité en avril.
fr-contrat: Le contrat avec le traiteur Dubois prend fin en juin.
fr-reunion: La réunion du comité a lieu chaque premier mardi du mois.
fr-voiture: La voiture de service doit être rendue avec le plein.
es-almacen: El almacén de Valencia cierra a las dos los viernes.
es-proveedor: El proveedor de cartón subió sus precios un ocho por ciento.
es-vacaciones: Lucía prefiere tomar sus vacaciones en septiembre.
zh-office: 上海办公室在静安区南京西路，电梯需要刷卡。
zh-food: 小王对花生过敏，聚餐时要提前告诉餐厅。
zh-server: 备份服务器每周日凌晨三点重启。
zh-meeting: 产品例会改到星期四下午两点。
ja-train: 田中さんは毎朝七時の電車で横浜から通勤しています。
ja-cat: 佐藤さんは黒い猫を二匹飼っています。
ja-contract: 名古屋の倉庫の契約は来年三月に終わります。
ja-lunch: 鈴木さんは辛い料理が食べられません。
ko-parking: 서울 사무실 주차장은 지하 이층에 있습니다.
ko-password: 회의실 예약 시스템의 관리자는 박지은 씨입니다.
th-office: สำนักงานกรุงเทพปิดทำการวันเสาร์และวันอาทิตย์
th-food: คุณสมชายแพ้อาหารทะเล
ru-office: Офис в Таллине переехал на третий этаж.
ru-train: Сергей ездит на работу на велосипеде даже зимой.
`;
