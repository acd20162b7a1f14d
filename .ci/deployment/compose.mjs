const isText = (value) => typeof value === 'string';
const isFlag = (value) => typeof value === 'boolean';
const isMap = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isTexts = (value) => Array.isArray(value) && value.every(isText);

/** The members of a service that our files use, with the types of the Compose Specification. */
const SERVICE = {
  image: isText,
  build: isText,
  env_file: isText,
  environment: (value) => isMap(value) && Object.values(value).every((each) => !isMap(each) && !Array.isArray(each)),
  command: isTexts,
  ports: isTexts,
  volumes: isTexts,
  tmpfs: isTexts,
  networks: isMap,
  depends_on: (value) => isTexts(value) || isMap(value),
  deploy: (value) => isMap(value) && Number.isInteger(value.replicas ?? 1),
  healthcheck: (value) => isMap(value) && (isFlag(value.disable) || isTexts(value.test)),
  read_only: isFlag,
  cap_drop: isTexts,
  security_opt: isTexts,
  ulimits: (value) => isMap(value) && Object.values(value).every(Number.isInteger),
  stop_grace_period: (value) => isText(value) && /^(?:\d+(?:us|ms|s|m|h))+$/.test(value),
  restart: (value) => ['no', 'always', 'on-failure', 'unless-stopped'].includes(value),
};
const TOP = { name: isText, services: isMap, networks: isMap, volumes: isMap };
const PORT = /^(?:(?<address>[\d.]+):)?(?<published>\d+(?:-\d+)?):(?<target>\d+)(?:\/(?:tcp|udp))?$/;

/** Why a service never meets a condition, if that is so. */
const CONDITIONS = {
  service_started: () => undefined,
  service_completed_successfully: ({ restart = 'no' }) =>
    restart === 'no' ? undefined : 'starts again, and never completes',
  service_healthy({ healthcheck }, image) {
    const isChecked = healthcheck ? healthcheck.disable !== true : image.isHealthChecked;
    return isChecked ? undefined : 'has no health check';
  },
};

/** Returns what Compose makes of one file and others that add to it. */
export function merge([first, ...others]) {
  return others.reduce((merged, other) => join(merged, other), first);
}

/**
 * Returns what is wrong in a merged file.
 *
 * @param image `isHealthChecked`: whether the image has a health check. `exists` knows the files beside the compose file.
 *   `isPublic` names the service that other machines reach
 */
export function composeFaults(file, { image, exists, isPublic }) {
  const services = Object.entries(file.services ?? {});
  const named = (name, faults) => faults.map((fault) => `${name}: ${fault}`);
  const unknown = [
    ...memberFaults('', file, TOP),
    ...services.flatMap(([name, service]) => named(name, memberFaults(name, service, SERVICE))),
  ];
  if (unknown.length > 0) return unknown;
  const found = services.flatMap(([name, service]) =>
    named(name, [
      ...sourceFaults(service, exists),
      ...mountFaults(service, exists),
      ...portFaults(service, isPublic(name)),
      ...orderFaults(service, file.services, image),
      ...(service.build === undefined ? [] : boundFaults(service)),
    ]),
  );
  const volumes = services.flatMap(([, service]) => namedVolumes(service));
  const networks = ['default', ...services.flatMap(([, service]) => Object.keys(service.networks ?? {}))];
  return [
    ...found,
    ...declarationFaults('volumes', volumes, Object.keys(file.volumes ?? {})),
    ...declarationFaults('networks', networks, ['default', ...Object.keys(file.networks ?? {})]),
  ];
}

function declarationFaults(part, used, declared) {
  return [
    ...used.filter((name) => !declared.includes(name)).map((name) => `${name} is not declared in ${part}`),
    ...declared.filter((name) => !used.includes(name)).map((name) => `nothing uses ${name} of ${part}`),
  ];
}

function namedVolumes({ volumes = [] }) {
  return volumes.map((volume) => volume.split(':')[0]).filter((source) => !source.startsWith('.'));
}

function join(one, other) {
  if (Array.isArray(one) && Array.isArray(other)) return [...one, ...other];
  if (!isMap(one) || !isMap(other)) return other;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries(
    Array.from(names, (name) => [
      name,
      name in one && name in other ? join(one[name], other[name]) : (one[name] ?? other[name]),
    ]),
  );
}

function memberFaults(where, value, known) {
  return Object.entries(value).flatMap(([name, member]) => {
    if (name.startsWith('x-') && where === '') return [];
    if (!(name in known)) return [`${name} is not known`];
    return known[name](member) ? [] : [`${name} has a wrong value`];
  });
}

function sourceFaults({ image, build, env_file }, exists) {
  const faults = image === undefined ? ['there is no image'] : [];
  if (build !== undefined && !exists(`${build}/Dockerfile`)) faults.push(`there is no Dockerfile in ${build}`);
  if (env_file !== undefined && !exists(env_file)) faults.push(`there is no ${env_file}`);
  return faults;
}

function mountFaults({ volumes = [] }, exists) {
  return volumes.flatMap((volume) => {
    const [source, target, mode] = volume.split(':');
    if (!target?.startsWith('/') || ![undefined, 'ro', 'rw'].includes(mode)) return [`${volume} is not a mount`];
    return !source.startsWith('.') || exists(source) ? [] : [`there is no ${source}`];
  });
}

function portFaults({ ports = [], deploy }, isPublic) {
  return ports.flatMap((port) => {
    const { address, published = '' } = PORT.exec(port)?.groups ?? {};
    if (published === '') return [`${port} is not a port`];
    const [first, last = first] = published.split('-').map(Number);
    const faults = last - first + 1 >= (deploy?.replicas ?? 1) ? [] : [`${port} is too few for the replicas`];
    if (!isPublic && address !== '127.0.0.1') faults.push(`${port} is open to other machines`);
    return faults;
  });
}

function orderFaults({ depends_on = {} }, services, image) {
  const entries = Array.isArray(depends_on) ? depends_on.map((name) => [name, {}]) : Object.entries(depends_on);
  return entries.flatMap(([name, { condition = 'service_started' }]) => {
    const other = services[name];
    if (other === undefined) return [`it depends on ${name}, which is not a service`];
    if (!(condition in CONDITIONS)) return [`${condition} is not a condition`];
    const never = CONDITIONS[condition](other, image);
    return never === undefined ? [] : [`${name} ${never}`];
  });
}

function boundFaults({ read_only, cap_drop = [], security_opt = [] }) {
  const faults = read_only === true ? [] : ['its root can be written'];
  if (!cap_drop.includes('ALL')) faults.push('it keeps capabilities');
  if (!security_opt.includes('no-new-privileges:true')) faults.push('it may get privileges');
  return faults;
}
