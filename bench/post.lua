-- wrk sends the body that it finds in its environment. Each request has another text in place of [<id>].
wrk.method = "POST"
wrk.headers["content-type"] = "application/json"

local body = os.getenv("BENCH_BODY")
local place = "%[<id>%]"

if not body:find(place) then
  wrk.body = body
else
  local prefix = tostring(os.time()) .. "-" .. tostring({}):match("%x+$") .. "-"
  local count = 0
  request = function()
    count = count + 1
    return wrk.format(nil, nil, nil, (body:gsub(place, prefix .. count)))
  end
end
