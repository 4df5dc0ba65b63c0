-- The bodies of a file, one per line, one after another: wrk -s service.lua URL -- BODIES PATH
local requests, at = {}, 0

function init(args)
  for line in io.lines(args[1]) do
    requests[#requests + 1] = wrk.format("POST", args[2], { ["Content-Type"] = "application/json" }, line)
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end
